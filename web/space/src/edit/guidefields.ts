// The fields of annotations, tours and camera paths.

import { nameOf, object, text } from '../entity.ts';
import { defaultFlight, defaultSeconds } from '../guide/tour.ts';
import type { Data, EntityRow } from '../server/space.ts';
import { button, element } from '../ui/elements.ts';
import type { EditMessages } from './messages.ts';

export interface GuideActions {
  /** Changes fields of what is selected. */
  change(change: Data): void;
  /** Returns the view that the owner has, as a camera. */
  camera(): Data;
  /** The annotations of the space. */
  annotations(): readonly EntityRow[];
  /** Plays a tour or a path. */
  preview(): void;
  /** Saves a tour as a camera path. */
  download(): void;
  /** Uploads a picture, a video or a sound, and returns its address; null where that failed. */
  attach(file: File): Promise<string | null>;
}

export class GuideFields {
  readonly element = element('div', { class: 'gate-fields guide-fields', hidden: '' });
  private readonly messages: EditMessages;
  private readonly actions: GuideActions;
  private shown = '';
  private data: Data = {};

  constructor(messages: EditMessages, actions: GuideActions) {
    this.messages = messages;
    this.actions = actions;
  }

  /** Shows the fields of an entity; null hides them. What is being typed stays, and so does the focus. */
  show(entity: EntityRow | null, kind: string): void {
    this.element.hidden = entity === null;
    this.data = entity?.data ?? {};
    const made = entity ? JSON.stringify([entity.entityId, this.structure(kind)]) : '';
    if (made === this.shown) {
      this.update();
      return;
    }
    this.shown = made;
    const focus = (this.element.querySelector(':focus') as HTMLElement | null)?.dataset['field'];
    const fields = !entity
      ? []
      : kind === 'annotation'
        ? this.annotation(this.data)
        : kind === 'tour'
          ? this.tour(this.data)
          : this.path(this.data);
    this.element.replaceChildren(...fields);
    if (focus) this.element.querySelector<HTMLElement>(`[data-field="${focus}"]`)?.focus();
  }

  /** Returns what decides which fields there are. */
  private structure(kind: string): unknown {
    const { data } = this;
    if (kind !== 'tour') return [hasView(data), usedMedia(data)];
    const stops = this.stops().map((stop, i) => [stop['annotation'], this.stopName(stop, i)]);
    return [stops, this.actions.annotations().map((one) => [one.entityId, nameOf(one)])];
  }

  /** Shows the values of the fields that have not the focus. */
  private update(): void {
    for (const field of this.element.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input, textarea')) {
      const [, name, index] = /^([A-Za-z]+)(\d*)$/.exec(field.dataset['field'] ?? '') ?? [];
      if (!name || field === document.activeElement) continue;
      if (index) field.value = String(this.stops()[Number(index)]?.[name] ?? field.value);
      else if (field.type === 'checkbox') (field as HTMLInputElement).checked = this.data[name] === true;
      else if (field.type !== 'file') field.value = text(this.data, name);
    }
  }

  private stops(): Data[] {
    const { stops } = this.data;
    return (Array.isArray(stops) ? stops : []).map((stop: unknown) => object({ stop }, 'stop'));
  }

  private annotation(data: Data): HTMLElement[] {
    const { messages, actions } = this;
    const view = button(
      messages(hasView(data) ? 'dropView' : 'useView'),
      () => actions.change({ camera: hasView(this.data) ? '' : actions.camera() }),
      {
        class: 'second',
        'data-field': 'camera',
      },
    );
    return [
      this.line(data, 'title', 'gateTitle'),
      this.line(data, 'text', 'annotationText', true),
      this.line(data, 'link', 'annotationLink'),
      this.media(data),
      view,
      this.check(data, 'autoOpen', 'autoOpen'),
    ];
  }

  private media(data: Data): HTMLElement {
    const { messages, actions } = this;
    const file = element('input', { type: 'file', accept: 'image/*,video/mp4,video/webm,audio/*', 'data-field': 'media' });
    file.addEventListener('change', () => {
      const chosen = file.files?.[0];
      if (!chosen) return;
      const kind = chosen.type.split('/')[0];
      const field = kind === 'video' ? 'videoURL' : kind === 'audio' ? 'soundURL' : 'imageURL';
      void actions.attach(chosen).then((address) => address && actions.change({ [field]: address }));
    });
    const used = usedMedia(data);
    const label = element('label', {}, messages('annotationMedia'), file);
    if (used.length === 0) return label;
    const remove = button(messages('removeMedia'), () => actions.change(Object.fromEntries(used.map((name) => [name, '']))), {
      class: 'second',
    });
    return element('div', {}, label, remove);
  }

  private tour(data: Data): HTMLElement[] {
    const { messages, actions } = this;
    const change = (changed: readonly Data[]): void => actions.change({ stops: changed });
    const rows = this.stops().map((stop, i) => {
      const now = (): Data => this.stops()[i] ?? {};
      const name = this.stopName(stop, i);
      const seconds = this.number(stop, i, 'seconds', defaultSeconds, (value) =>
        change(replaced(this.stops(), i, [{ ...now(), seconds: value }])),
      );
      const flight = this.number(stop, i, 'flight', defaultFlight, (value) =>
        change(replaced(this.stops(), i, [{ ...now(), flight: value }])),
      );
      const up = button('↑', () => change(swapped(this.stops(), i)), {
        'aria-label': messages('stopUp', { name }),
        'data-field': `up${i}`,
      });
      up.disabled = i === 0;
      const remove = button('×', () => change(replaced(this.stops(), i, [])), {
        'aria-label': messages('removeStop', { name }),
        'data-field': `remove${i}`,
      });
      return element('li', {}, element('span', { class: 'name' }, name), up, remove, seconds, flight);
    });
    const add = (stop: Data): void => change([...this.stops(), { seconds: defaultSeconds, flight: defaultFlight, ...stop }]);
    const choice = element(
      'select',
      { 'data-field': 'addAnnotation', 'aria-label': messages('addStop') },
      element('option', { value: '' }, messages('addStop')),
      ...actions.annotations().map((one) => element('option', { value: one.entityId }, nameOf(one))),
    );
    choice.addEventListener('change', () => choice.value && add({ annotation: choice.value }));
    return [
      this.line(data, 'title', 'gateTitle'),
      element('ol', {}, ...rows),
      button(messages('addView'), () => add({ camera: actions.camera() }), { class: 'second', 'data-field': 'addView' }),
      choice,
      this.check(data, 'autoPlay', 'autoPlay'),
      this.check(data, 'loop', 'loop'),
      button(messages('preview'), () => actions.preview(), { class: 'second', 'data-field': 'preview' }),
      button(messages('savePath'), () => actions.download(), { class: 'second', 'data-field': 'download' }),
    ];
  }

  private stopName(stop: Data, index: number): string {
    const annotation = this.actions.annotations().find(({ entityId }) => entityId === stop['annotation']);
    return text(stop, 'title') || (annotation ? nameOf(annotation) : this.messages('stopName', { number: String(index + 1) }));
  }

  private path(data: Data): HTMLElement[] {
    return [
      this.check(data, 'autoPlay', 'autoPlay'),
      this.check(data, 'loop', 'loop'),
      this.check(data, 'reverse', 'reverse'),
      button(this.messages('preview'), () => this.actions.preview(), { class: 'second', 'data-field': 'preview' }),
    ];
  }

  private line(data: Data, name: string, label: 'gateTitle' | 'annotationText' | 'annotationLink', isLong = false): HTMLElement {
    const field = isLong ? element('textarea', { rows: '4' }) : element('input', { type: 'text', autocomplete: 'off' });
    field.maxLength = isLong ? 20_000 : 500;
    field.value = text(data, name);
    field.dataset['field'] = name;
    field.addEventListener('change', () => this.actions.change({ [name]: field.value.trim() }));
    return element('label', {}, this.messages(label), field);
  }

  private number(stop: Data, index: number, name: 'seconds' | 'flight', otherwise: number, changed: (value: number) => void): HTMLElement {
    const value = stop[name];
    const field = element('input', { type: 'number', min: '0', max: '600', step: '0.5', 'data-field': `${name}${index}` });
    field.value = String(typeof value === 'number' ? value : otherwise);
    field.addEventListener('change', () => {
      if (field.validity.valid && field.value !== '') changed(Number(field.value));
    });
    return element('label', { class: 'short' }, this.messages(name), field);
  }

  private check(data: Data, name: string, label: 'autoOpen' | 'autoPlay' | 'loop' | 'reverse'): HTMLElement {
    const field = element('input', { type: 'checkbox', 'data-field': name });
    field.checked = data[name] === true;
    field.addEventListener('change', () => this.actions.change({ [name]: field.checked }));
    return element('label', { class: 'check' }, field, this.messages(label));
  }
}

function replaced(stops: readonly Data[], index: number, by: readonly Data[]): Data[] {
  return [...stops.slice(0, index), ...by, ...stops.slice(index + 1)];
}

/** Returns the stops with one of them before the one that precedes it. */
function swapped(stops: readonly Data[], index: number): Data[] {
  return [...stops.slice(0, index - 1), stops[index]!, stops[index - 1]!, ...stops.slice(index + 1)];
}

function hasView(data: Data): boolean {
  return Object.keys(object(data, 'camera')).length > 0;
}

function usedMedia(data: Data): string[] {
  return ['imageURL', 'videoURL', 'soundURL'].filter((name) => text(data, name));
}
