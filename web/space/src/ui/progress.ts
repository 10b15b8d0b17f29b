// How much of what the first picture needs is loaded.

import type { Messages } from '../i18n.ts';
import { element } from './elements.ts';

export class Progress {
  readonly element: HTMLElement;
  private readonly messages: Messages;
  private readonly line: HTMLElement;
  private readonly bar = element('progress', { max: '100', value: '0' });
  /** The share of each file that is loaded, from 0 to 1. */
  private readonly files = new Map<string, number>();
  private preparing = '';
  private percent = 0;

  constructor(messages: Messages) {
    this.messages = messages;
    this.line = element('p', { role: 'status' });
    this.bar.setAttribute('aria-label', messages('loading'));
    this.element = element('div', { class: 'progress' }, this.line, this.bar);
    // The page names in its head what the first picture is made of.
    for (const link of document.head.querySelectorAll<HTMLLinkElement>(
      'link:is([rel="modulepreload"], [rel="preload"], [rel="prefetch"])',
    )) {
      this.files.set(link.href, 0);
    }
    new PerformanceObserver((list) => {
      for (const { name } of list.getEntries()) if (this.files.has(name)) this.report(name, 1);
    }).observe({ type: 'resource', buffered: true });
    this.show();
  }

  /** Reports which share of a file is loaded, from 0 to 1. */
  report(address: string, share: number): void {
    this.files.set(address, Math.max(share, this.files.get(address) ?? 0));
    const shares = [...this.files.values()];
    const sum = shares.reduce((a, b) => a + b, 0);
    // A file that becomes known later does not take back what was shown.
    this.percent = Math.max(this.percent, Math.min(99, Math.floor((100 * sum) / shares.length)));
    this.show();
  }

  /** Says that the server prepares something, and how much of it is done; an empty line ends that. */
  prepare(line: string, percent: number): void {
    this.preparing = line;
    this.show(line ? percent : this.percent);
  }

  get isPreparing(): boolean {
    return this.preparing !== '';
  }

  private show(percent = this.percent): void {
    this.bar.value = percent;
    const line = this.preparing || this.messages('loadingPercent', { percent: String(percent) });
    if (this.line.textContent !== line) this.line.textContent = line;
  }
}
