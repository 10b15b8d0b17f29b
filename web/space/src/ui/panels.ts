// The panels over the 3D view: one is open at a time, and each can be closed by its button and by Escape.

import type { MessageKey, Messages } from '../i18n.ts';
import { button, element } from './elements.ts';
import { icon } from './icons.ts';

export interface Panel {
  readonly element: HTMLElement;
  /** What the panel shows below its title. */
  readonly body: HTMLElement;
}

export class Panels {
  private readonly messages: Messages;
  private open: { panel: Panel; opener: HTMLElement } | null = null;

  constructor(scene: HTMLElement, messages: Messages) {
    this.messages = messages;
    window.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || event.isComposing || !this.open || scene.querySelector('dialog[open]')) return;
      event.preventDefault();
      event.stopImmediatePropagation(); // the editor would also deselect
      this.close();
    });
  }

  make(id: string, title: MessageKey): Panel {
    const close = button('', () => this.close(), { class: 'close', title: this.messages('close'), 'aria-label': this.messages('close') });
    close.append(icon('close'));
    const body = element('div', { class: 'body', tabindex: '0' }); // it may scroll
    const panel = element(
      'aside',
      { class: 'panel', id, tabindex: '-1', 'aria-label': this.messages(title), hidden: '' },
      element('header', {}, element('h2', {}, this.messages(title)), close),
      body,
    );
    return { element: panel, body };
  }

  get isOpen(): boolean {
    return this.open !== null;
  }

  /** Opens a panel for a button, or closes it again. */
  toggle(panel: Panel, opener: HTMLElement): void {
    const isOpen = this.open?.panel === panel;
    this.close();
    if (isOpen) return;
    this.open = { panel, opener };
    panel.element.hidden = false;
    opener.setAttribute('aria-expanded', 'true');
    panel.element.focus({ preventScroll: true });
  }

  /** Closes the open panel, or only this one. Its button gets the focus if the panel had it. */
  close(only?: Panel): void {
    if (!this.open || (only && this.open.panel !== only)) return;
    const { panel, opener } = this.open;
    const hadFocus = panel.element.contains(document.activeElement);
    this.open = null;
    panel.element.hidden = true;
    opener.setAttribute('aria-expanded', 'false');
    if (hadFocus) opener.focus({ preventScroll: true });
  }
}
