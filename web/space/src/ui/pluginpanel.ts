// The panel of a plugin: text and buttons that visitors can tell from the page's own.

import type { Messages } from '../i18n.ts';
import type { PanelContent } from '../plugin/message.ts';
import { button, element } from './elements.ts';

export class PluginPanel {
  private readonly panel: HTMLElement;
  private readonly messages: Messages;
  private readonly name: string;
  private readonly press: (id: string) => void;
  /** A plugin cannot open again what its visitor has closed, until the visitor comes back to it. */
  private allowed = true;

  constructor(parent: HTMLElement, messages: Messages, name: string, press: (id: string) => void) {
    this.messages = messages;
    this.name = name;
    this.press = press;
    this.panel = element('section', { 'aria-label': messages('pluginName', { name }), hidden: '' });
    parent.append(this.panel);
  }

  /** Lets the plugin open its panel. */
  allow(): void {
    this.allowed = true;
  }

  /** Shows a content; null closes the panel. */
  show(content: PanelContent | null): void {
    this.panel.hidden = content === null || !this.allowed;
    if (!content) return;
    const close = button(
      this.messages('close'),
      () => {
        this.allowed = false;
        this.panel.hidden = true;
      },
      { class: 'second' },
    );
    this.panel.replaceChildren(
      element('p', { class: 'source' }, this.messages('pluginName', { name: this.name })),
      ...(content.title === '' ? [] : [element('h2', {}, content.title)]),
      ...(content.text === '' ? [] : [element('p', {}, content.text)]),
      element('div', { class: 'decision' }, ...content.buttons.map(({ id, label }) => button(label, () => this.press(id))), close),
    );
  }

  destroy(): void {
    this.panel.remove();
  }
}
