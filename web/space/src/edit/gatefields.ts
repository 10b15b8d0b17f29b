// The title of a gate, and where it leads.

import { text } from '../entity.ts';
import type { Data, EntityRow } from '../server/space.ts';
import { element } from '../ui/elements.ts';
import type { EditMessages } from './messages.ts';

/** Returns what a gate stores for an address: the id alone for a space of this server. */
export function linkOf(address: string): string {
  const typed = address.trim();
  if (!URL.canParse(typed)) return typed;
  const { origin, pathname } = new URL(typed);
  return (origin === location.origin && /^\/(?:embed\/)?([\w.-]+)\/?$/.exec(pathname)?.[1]) || typed;
}

export class GateFields {
  readonly element: HTMLElement;
  private readonly title = element('input', { type: 'text', autocomplete: 'off', maxlength: '200' });
  private readonly link = element('input', { type: 'text', autocomplete: 'off', inputmode: 'url', spellcheck: 'false' });

  constructor(messages: EditMessages, changed: (change: Data) => void) {
    this.link.placeholder = messages('gateLinkHint');
    this.title.addEventListener('change', () => changed({ title: this.title.value.trim() }));
    this.link.addEventListener('change', () => changed({ link: linkOf(this.link.value) }));
    this.element = element(
      'div',
      { class: 'gate-fields' },
      element('label', {}, messages('gateTitle'), this.title),
      element('label', {}, messages('gateLink'), this.link),
    );
  }

  /** Shows a gate, but not over what is being typed. */
  show({ data }: EntityRow): void {
    for (const [field, name] of [
      [this.title, 'title'],
      [this.link, 'link'],
    ] as const) {
      if (document.activeElement !== field) field.value = text(data, name);
    }
  }
}
