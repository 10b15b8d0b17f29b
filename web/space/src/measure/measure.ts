// Measures in the view, for owners and for visitors whom they allow it, and shows what owners keep.

import { Vec3 } from 'playcanvas';
import { isHidden, nameOf, placementOf } from '../entity.ts';
import { newEntityId, entityServer } from '../edit/server.ts';
import type { Solid } from '../move/solid.ts';
import { sceneBounds } from '../scene/bounds.ts';
import type { Item } from '../scene/item.ts';
import type { Stage } from '../scene/stage.ts';
import type { EntityRow, Triple } from '../server/space.ts';
import { button, element } from '../ui/elements.ts';
import { draw, icon } from '../ui/icons.ts';
import type { Overlay } from '../ui/overlay.ts';
import { changeWithContent, insideOf, scaleAround } from './carry.ts';
import { counts, format, measure, measureKinds, readMeasurement } from './geometry.ts';
import type { MeasureKind, Measurement, Unit } from './geometry.ts';
import { Lines } from './lines.ts';
import './measure.css';
import { loadMeasureMessages } from './messages.ts';
import type { MeasureMessages } from './messages.ts';
import { surfacePoint } from './surface.ts';

const ruler = 'M4 15.5 15.5 4 20 8.5 8.5 20zM7 12.5l2 2M10 9.5l2 2M13 6.5l2 2';
/** A click this near a point that is there takes it, in pixels. */
const snap = 12;

export interface MeasureOptions {
  scene: HTMLElement;
  overlay: Overlay;
  stage: Stage;
  spaceId: string;
  /** Whether measurements may be kept and captures scaled. */
  isOwner: boolean;
  /** The unit that the browser remembers; null for none. */
  unit: string | null;
  rememberUnit(unit: string): void;
  solids(): readonly Solid[];
  /** Shows an entity as the server has it now. */
  put(entity: EntityRow): void;
  remove(entityId: string): void;
}

export class Measure {
  private readonly options: MeasureOptions;
  private readonly messages: MeasureMessages;
  private readonly language: string;
  private readonly lines: Lines;
  private readonly tool: HTMLButtonElement;
  private readonly panel: HTMLElement;
  private readonly result = element('output', { class: 'result' });
  private readonly status = element('p', { role: 'status' });
  private readonly list = element('ul');
  private readonly keepButton: HTMLButtonElement;
  private readonly scaleForm: HTMLFormElement;
  private readonly ended = new AbortController();
  private items: readonly Item[] = [];
  private kind: MeasureKind = 'distance';
  private unit: Unit;
  private points: Triple[] = [];

  static async create(options: MeasureOptions): Promise<Measure> {
    return new Measure(options, await loadMeasureMessages(options.scene.dataset['language'] ?? 'en'));
  }

  private constructor(options: MeasureOptions, messages: MeasureMessages) {
    this.options = options;
    this.messages = messages;
    const { scene, overlay, stage } = options;
    this.language = scene.dataset['language'] ?? 'en';
    this.unit = options.unit === 'foot' || (!options.unit && /-US$/i.test(navigator.language)) ? 'foot' : 'metre';
    this.lines = new Lines(stage);
    overlay.canvas.after(this.lines.element);
    this.tool = button('', () => this.toggle(), {
      'data-tool': 'measure',
      title: messages('measure'),
      'aria-pressed': 'false',
      hidden: '',
    });
    this.tool.append(draw(ruler), element('span', { class: 'label' }, messages('measure')));
    overlay.addControl(this.tool);
    this.keepButton = button(messages('keep'), () => void this.keep(), { class: 'second' });
    this.scaleForm = this.makeScaleForm();
    this.panel = this.makePanel();
    scene.append(this.panel);
    window.addEventListener('keydown', (event) => this.pressKey(event), { signal: this.ended.signal });
    this.refresh();
  }

  get active(): boolean {
    return !this.panel.hidden;
  }

  /** Offers the tool, or takes it away. */
  offer(offered: boolean): void {
    this.tool.hidden = !offered;
    if (!offered && this.active) this.toggle();
  }

  /** Shows the measurements that are kept in the space. */
  show(items: readonly Item[]): void {
    this.items = items;
    this.refresh();
  }

  private makePanel(): HTMLElement {
    const { messages } = this;
    const kind = element('select', {}, ...measureKinds.map((one) => element('option', { value: one }, messages(one))));
    kind.addEventListener('change', () => {
      this.kind = kind.value as MeasureKind;
      this.points = this.points.slice(0, counts[this.kind][1]);
      this.refresh();
    });
    const unit = element('select', {}, ...(['metre', 'foot'] as const).map((one) => element('option', { value: one }, messages(one))));
    unit.value = this.unit;
    unit.addEventListener('change', () => {
      this.unit = unit.value as Unit;
      this.options.rememberUnit(this.unit);
      this.refresh();
    });
    const close = button('', () => this.toggle(), { class: 'close', title: messages('close'), 'aria-label': messages('close') });
    close.append(icon('close'));
    const buttons = [
      button(messages('back'), () => this.takeBack(), { class: 'second' }),
      button(messages('clear'), () => this.clear(), { class: 'second' }),
      ...(this.options.isOwner ? [this.keepButton] : []),
    ];
    return element(
      'aside',
      { class: 'panel measure', 'aria-label': messages('measure'), hidden: '' },
      element('header', {}, element('h2', { tabindex: '-1' }, messages('measure')), close),
      element(
        'div',
        { class: 'body' },
        element('label', {}, messages('kind'), kind),
        element('label', {}, messages('unit'), unit),
        this.result,
        this.status,
        element('div', { class: 'buttons' }, ...buttons),
        ...(this.options.isOwner ? [this.scaleForm] : []),
        this.list,
      ),
    );
  }

  /** Returns the form in which an owner says how long something truly is. */
  private makeScaleForm(): HTMLFormElement {
    const { messages } = this;
    const length = element('input', { type: 'number', min: '0.001', max: '100000', step: 'any', required: '' });
    const form = element(
      'form',
      {},
      element('h3', {}, messages('calibrate')),
      element('label', {}, messages('realLength'), length),
      element('button', { class: 'second' }, messages('apply')),
    );
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.calibrate(length.valueAsNumber);
    });
    return form;
  }

  private toggle(): void {
    const { scene, overlay } = this.options;
    overlay.closePanels();
    this.panel.hidden = !this.panel.hidden;
    this.tool.setAttribute('aria-pressed', String(this.active));
    scene.classList.toggle('measuring', this.active);
    this.points = [];
    this.say(this.active ? this.messages('hint') : '');
    overlay.canvas.focus({ preventScroll: true });
    this.refresh();
  }

  private pressKey(event: KeyboardEvent): void {
    const { overlay } = this.options;
    if (!this.active || event.defaultPrevented || event.isComposing) return;
    const isFree = document.activeElement === overlay.canvas;
    if (event.key === 'Escape') this.toggle();
    else if (isFree && event.key === 'Enter') void this.click(overlay.canvas.clientWidth / 2, overlay.canvas.clientHeight / 2);
    else if (isFree && event.key === 'Backspace') this.takeBack();
    else return;
    event.preventDefault();
  }

  /** Adds the place at a point of the canvas, in CSS pixels. */
  async click(x: number, y: number): Promise<void> {
    const { stage, solids } = this.options;
    await stage.drawFrame(); // the engine projects as in its last frame, and the view may have moved since
    const captures = this.captures.map(({ thing }) => thing!.node);
    const point = this.knownPoint(x, y) ?? (await surfacePoint({ stage, solids: solids(), captures }, x, y));
    if (!this.active) return;
    if (!point) {
      this.say(this.messages('nothing'));
      return;
    }
    this.say('');
    if (this.points.length >= counts[this.kind][1]) this.points = [];
    this.points.push(point.map((value) => Math.round(value * 1e4) / 1e4) as unknown as Triple);
    this.refresh();
  }

  /** Returns a point of a measurement that is shown there; null for none. */
  private knownPoint(x: number, y: number): Triple | null {
    const known = [...this.points, ...this.kept.flatMap(({ measurement }) => measurement.points)];
    return (
      known.find((point) => {
        const place = this.lines.project(point);
        return place !== null && Math.hypot(place.x - x, place.y - y) <= snap;
      }) ?? null
    );
  }

  private get kept(): { entity: EntityRow; measurement: Measurement }[] {
    return this.items.flatMap(({ kind, entity }) => {
      const measurement = kind === 'measurement' && !isHidden(entity) ? readMeasurement(entity.data) : null;
      return measurement ? [{ entity, measurement }] : [];
    });
  }

  private takeBack(): void {
    this.points.pop();
    this.refresh();
  }

  private clear(): void {
    this.points = [];
    this.refresh();
  }

  private say(line: string): void {
    this.status.textContent = line;
  }

  private label(measurement: Measurement): string {
    const value = measure(measurement);
    return value === null ? '' : format(measurement.kind, value, this.unit, this.language);
  }

  private refresh(): void {
    const { messages, kept } = this;
    const current: Measurement = { kind: this.kind, points: this.points };
    const value = this.label(current);
    this.result.textContent = value;
    this.panel.dataset['points'] = String(this.points.length);
    this.keepButton.disabled = value === '';
    const isLength = this.kind !== 'area' && this.kind !== 'angle';
    this.scaleForm.hidden = value === '' || !isLength;
    const shown = kept.map(({ entity, measurement }) => ({
      ...measurement,
      label: [titleOf(entity), this.label(measurement)].filter(Boolean).join(': '),
    }));
    this.lines.show([...shown, ...(this.active ? [{ ...current, label: value }] : [])]);
    if (!this.options.isOwner) return;
    this.list.replaceChildren(
      ...kept.map(({ entity, measurement }) => {
        const name = `${titleOf(entity) || messages(measurement.kind)} ${this.label(measurement)}`;
        const remove = button('×', () => void this.discard(entity), { 'aria-label': messages('remove', { name }) });
        return element('li', {}, element('span', {}, name), remove);
      }),
    );
  }

  private async keep(): Promise<void> {
    const { spaceId, put } = this.options;
    const data = { kind: this.kind, points: this.points };
    const made: EntityRow = {
      id: '',
      entityId: newEntityId('measurement'),
      type: 'MeasurementEntity',
      version: 0,
      createdAt: '',
      data,
      readUrl: null,
      file: null,
    };
    await this.save(async () => {
      put(await entityServer(spaceId).create(made));
      this.clear();
    });
  }

  private async discard({ entityId }: EntityRow): Promise<void> {
    const { spaceId, remove } = this.options;
    await this.save(async () => {
      await entityServer(spaceId).delete(entityId);
      remove(entityId);
    });
  }

  /** Does something on the server, and says where that failed. */
  private async save(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      console.warn('A measurement cannot be saved:', error);
      this.say(this.messages('failed'));
    }
  }

  /** Scales the capture that was measured, so that the measured length is the true one. */
  private async calibrate(length: number): Promise<void> {
    const measured = measure({ kind: this.kind, points: this.points });
    const capture = this.captureAt(this.points);
    if (!capture) {
      this.say(this.messages('noCapture'));
      return;
    }
    if (!measured || !(length > 0)) return;
    const factor = length / measured;
    const { entity } = capture;
    const { position, scale } = placementOf(entity.data);
    await this.save(async () => {
      const scaled = scale.map((value) => Number((value * factor).toPrecision(7)));
      // The capture grows around its own place, and what stands in it stays where it is seen.
      const move = scaleAround(position, factor);
      const isInside = insideOf(capture.thing!.node, this.captures.length);
      await changeWithContent(this.options.spaceId, entity.entityId, { scale: scaled }, move, isInside);
      this.points = this.points.map(move);
      this.refresh();
      this.say(
        this.messages('calibrated', { factor: new Intl.NumberFormat(this.language, { maximumSignificantDigits: 4 }).format(factor) }),
      );
    });
  }

  private get captures(): readonly Item[] {
    return this.items.filter(({ kind, thing }) => kind === 'capture' && thing);
  }

  /** Returns the smallest capture around all points, or the only one; null for none. */
  private captureAt(points: readonly Triple[]): Item | null {
    const { captures } = this;
    const around = captures.flatMap((item) => {
      const box = sceneBounds([item.thing!.node]);
      const isInside = box && points.every((point) => box.containsPoint(new Vec3(...point)));
      return isInside ? [{ item, size: box.halfExtents.length() }] : [];
    });
    const [smallest] = around.sort((a, b) => a.size - b.size);
    return smallest?.item ?? (captures.length === 1 ? captures[0]! : null);
  }

  destroy(): void {
    this.ended.abort();
    this.lines.destroy();
    this.panel.remove();
    this.tool.remove();
  }
}

function titleOf(entity: EntityRow): string {
  const name = nameOf(entity);
  return name === entity.entityId ? '' : name;
}
