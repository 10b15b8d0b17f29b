// The place of an entity as numbers, which can be typed.

import type { Placement } from '../entity.ts';
import type { Triple } from '../server/space.ts';
import { element } from '../ui/elements.ts';
import { parts } from './fields.ts';
import type { Part } from './fields.ts';

/** The texts beside the fields. */
export type NumberKey = 'positionField' | 'rotationField' | 'scaleField' | 'proportions';

export interface NumberEvents {
  /** A value was typed; more may follow. */
  typed(part: Part, value: Triple): void;
  /** The owner has finished typing, for now. */
  finished(): void;
}

const axes = ['X', 'Y', 'Z'] as const;
const stepOf: Record<Part, string> = { position: '0.1', rotation: '5', scale: '0.1' };
const decimals: Record<Part, number> = { position: 3, rotation: 2, scale: 3 };
/** A pause in typing after which values are saved, in milliseconds. */
const pause = 600;
/** The minimum scale: nobody could see or select a thing of size 0. */
const minScale = 0.001;
const maxValue = 1e6;

export class Numbers {
  readonly element: HTMLElement;
  private readonly inputs: Record<Part, HTMLInputElement[]>;
  private readonly proportions: HTMLInputElement;
  private readonly events: NumberEvents;
  private placement: Placement = { position: [0, 0, 0], rotation: [0, 0, 0], scale: [1, 1, 1] };
  private timer = 0;
  private pending = false;

  constructor(messages: (key: NumberKey) => string, events: NumberEvents, keepsProportions = true) {
    this.events = events;
    this.inputs = { position: [], rotation: [], scale: [] };
    this.proportions = element('input', { type: 'checkbox' });
    this.proportions.checked = keepsProportions;
    this.element = element('div', { class: 'numbers' }, ...parts.map((part) => this.field(part, messages)));
    this.element.addEventListener('focusout', () => this.finish());
    this.element.addEventListener('change', () => this.finish());
  }

  private field(part: Part, messages: (key: NumberKey) => string): HTMLElement {
    const inputs = axes.map((axis, index) => {
      const input = element('input', { type: 'number', step: stepOf[part], inputmode: 'decimal', autocomplete: 'off' });
      input.addEventListener('input', () => this.type(part, index));
      this.inputs[part].push(input);
      return element('label', {}, element('span', {}, axis), input);
    });
    const legend = element('legend', {}, messages(`${part}Field`));
    const keep = element('label', { class: 'keep' }, this.proportions, messages('proportions'));
    return element('fieldset', { 'data-part': part }, legend, ...inputs, ...(part === 'scale' ? [keep] : []));
  }

  /** Shows a place; a gate has no depth. */
  show(placement: Placement, flat: boolean): void {
    this.placement = placement;
    for (const part of parts) {
      this.inputs[part].forEach((input, axis) => {
        // What is being typed stays as it is.
        if (this.pending && input === document.activeElement) return;
        input.value = String(Number(placement[part][axis]!.toFixed(decimals[part])));
        input.removeAttribute('aria-invalid');
      });
    }
    this.inputs.scale[2]!.parentElement!.hidden = flat;
  }

  private type(part: Part, axis: number): void {
    const input = this.inputs[part][axis]!;
    const value = input.valueAsNumber;
    const valid = Number.isFinite(value) && Math.abs(value) <= maxValue && (part !== 'scale' || Math.abs(value) >= minScale);
    input.toggleAttribute('aria-invalid', false);
    if (!valid) {
      input.setAttribute('aria-invalid', 'true');
      return;
    }
    this.pending = true;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.finish(), pause);
    this.events.typed(part, this.changedValue(part, axis, value));
  }

  private changedValue(part: Part, axis: number, value: number): Triple {
    const now = this.placement[part];
    const factor = value / now[axis]!;
    const together = part === 'scale' && this.proportions.checked && Number.isFinite(factor);
    return now.map((n, i) => (i === axis ? value : together ? n * factor : n)) as [number, number, number];
  }

  /** Ends typing immediately, for example before another change. */
  finish(): void {
    clearTimeout(this.timer);
    if (!this.pending) return;
    this.pending = false;
    this.events.finished();
  }

  focus(): void {
    this.inputs.position[0]!.focus();
  }
}
