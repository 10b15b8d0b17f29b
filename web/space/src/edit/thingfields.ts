// The name of a thing, whether visitors see it, and how loud it is.

import { isHidden, nameOf, number, text } from '../entity.ts';
import type { Data, EntityRow } from '../server/space.ts';
import { element } from '../ui/elements.ts';
import type { EditMessages } from './messages.ts';

export class ThingFields {
  readonly element: HTMLElement;
  private readonly name = element('input', { type: 'text', autocomplete: 'off', maxlength: '200' });
  private readonly volume = element('input', { type: 'range', min: '0', max: '1', step: '0.05' });
  private readonly hidden = element('input', { type: 'checkbox' });
  private readonly nameLine: HTMLElement;
  private readonly volumeLine: HTMLElement;
  private entity: EntityRow | null = null;

  constructor(messages: EditMessages, changed: (change: Data) => void) {
    this.name.addEventListener('change', () => changed({ title: this.name.value.trim() }));
    this.volume.addEventListener('change', () => changed({ volume: this.volume.valueAsNumber }));
    this.hidden.addEventListener('change', () => changed(hiding(this.entity, this.hidden.checked)));
    this.nameLine = element('label', {}, messages('name'), this.name);
    this.volumeLine = element('label', {}, messages('volume'), this.volume);
    this.element = element(
      'div',
      { class: 'gate-fields thing-fields', hidden: '' },
      this.nameLine,
      this.volumeLine,
      element('label', { class: 'check' }, this.hidden, messages('hide')),
    );
  }

  /** Shows a thing, but not over what is being typed; null hides the fields. What has a title field of its own is not named here. */
  show(entity: EntityRow | null, kind: string, named: boolean): void {
    this.entity = entity;
    this.element.hidden = entity === null;
    if (!entity) return;
    this.nameLine.hidden = !named;
    this.volumeLine.hidden = kind !== 'sound';
    this.hidden.checked = isHidden(entity);
    this.name.placeholder = nameOf({ ...entity, data: {} });
    if (document.activeElement !== this.name) this.name.value = text(entity.data, 'title');
    if (document.activeElement !== this.volume) this.volume.value = String(number(entity.data, 'volume', 1));
  }
}

/** Returns the change that hides an entity, or shows it again: gates have a field of their own for it. */
function hiding(entity: EntityRow | null, hidden: boolean): Data {
  if (entity?.type !== 'DynamicGate') return { hidden };
  // What another program hid by the general field is shown again, too.
  return { dynamicGate: { hidden }, ...(entity.data['hidden'] === true && !hidden ? { hidden } : {}) };
}
