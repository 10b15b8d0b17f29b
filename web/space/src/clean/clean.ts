// Cleans up a capture: what is cut off, turned and moved is shown on what is loaded, and the server does it
// with the whole file.

import { Entity, Mat4, Quat, Vec3 } from 'playcanvas';
import { isYUp, nameOf, placementOf } from '../entity.ts';
import { placementChange } from '../edit/fields.ts';
import type { Part } from '../edit/fields.ts';
import { Gizmos } from '../edit/gizmos.ts';
import { editIcons } from '../edit/icons.ts';
import { Numbers } from '../edit/numbers.ts';
import { Lines } from '../measure/lines.ts';
import { sampleCentres } from '../measure/centres.ts';
import { surfacePoint } from '../measure/surface.ts';
import { sceneBounds } from '../scene/bounds.ts';
import type { Stage } from '../scene/stage.ts';
import { setPlacement } from '../scene/thing.ts';
import type { Data, EntityRow, Triple } from '../server/space.ts';
import { button, element } from '../ui/elements.ts';
import { draw } from '../ui/icons.ts';
import './clean.css';
import { cancelJob, followJob, startCleanUp } from './job.ts';
import { loadCleanMessages } from './messages.ts';
import type { CleanMessages } from './messages.ts';
import { Preview } from './preview.ts';
import { cleanUp, toFloor, uniformScale } from './transform.ts';
import type { Crop } from './transform.ts';

const shapes = ['all', 'box', 'sphere'] as const;
const parts: readonly Part[] = ['position', 'rotation', 'scale'];
/** Gaussians that are counted for the share that stays. */
const samples = 20_000;
/** The first box leaves out this share of the Gaussians at each of its ends. */
const outside = 0.02;
/** The first box is larger by this factor, so that it does not cut through walls. */
const margin = 1.05;
/** The smallest edge of a box and diameter of a ball, in metres. */
const smallest = 0.001;

export interface CleanOptions {
  stage: Stage;
  canvas: HTMLElement;
  language: string;
  spaceId: string;
  /** Returns the entity as the owner has it now. */
  entity(): EntityRow;
  name: string;
  /** The node of the capture, which a preview turns. */
  node: Entity;
  /** While handles are dragged, the view does not move. */
  hold(on: boolean): void;
  /** Returns what a refusal means to the owner. */
  explain(problem: unknown): string;
  /** Reports whether the server has everything that the owner has changed. */
  isSaved(): boolean;
  started(): void;
  closed(): void;
  /** Tells how a job ended, in words if nothing else says so. */
  ended(line: string | null, failed: boolean): void;
}

export class Clean {
  readonly element: HTMLElement;
  private readonly options: CleanOptions;
  private readonly messages: CleanMessages;
  private readonly frame: Entity;
  private readonly preview: Preview;
  private readonly gizmos: Gizmos;
  private readonly numbers: Numbers;
  private readonly lines: Lines;
  private readonly off = new AbortController();
  private readonly handles: HTMLElement;
  private readonly modes = new Map<Part, HTMLButtonElement>();
  private readonly keep = element('select');
  private readonly floaters = element('input', { type: 'checkbox' });
  private readonly showGone = element('input', { type: 'checkbox' });
  private readonly share = element('output', {});
  private readonly status = element('p', { role: 'status' });
  private readonly bar = element('progress', { max: '100', hidden: '' });
  private readonly applyButton: HTMLButtonElement;
  private readonly stopButton: HTMLButtonElement;
  private readonly fields: HTMLFieldSetElement;
  private readonly wrongScale: boolean;
  private turn: Mat4 | null = null;
  private origin: Vec3 | null = null;
  private taking: 'floor' | 'origin' | null = null;
  private points: Vec3[] = [];
  private job: string | null = null;
  private isStopped = false;
  private isClosed = false;
  /** Of the ball, before it is changed. */
  private diameter = 1;

  static async create(options: CleanOptions): Promise<Clean> {
    return new Clean(options, await loadCleanMessages(options.language));
  }

  private constructor(options: CleanOptions, messages: CleanMessages) {
    this.options = options;
    this.messages = messages;
    const { stage, node, name, canvas } = options;
    this.frame = stage.node('clean-up');
    this.wrongScale = uniformScale(this.placement) === null;
    this.preview = new Preview(stage, node.gsplat!, this.frame);
    this.gizmos = new Gizmos(stage, {
      start: () => options.hold(true),
      moved: (part) => this.moved(part),
      end: (part) => {
        options.hold(false);
        this.moved(part);
      },
    });
    this.gizmos.mode = 'scale';
    this.lines = new Lines(stage);
    canvas.after(this.lines.element);
    this.keep.append(...shapes.map((shape) => element('option', { value: shape }, messages(shape))));
    this.keep.addEventListener('change', () => this.choose(this.keep.value as Crop['shape']));
    this.showGone.checked = true;
    for (const box of [this.floaters, this.showGone]) box.addEventListener('change', () => this.refresh());
    this.numbers = new Numbers(
      (key) => messages(key),
      { typed: (part, value) => this.typed(part, value), finished: () => this.refresh() },
      false,
    );
    this.handles = element(
      'div',
      { class: 'handles' },
      element('div', { class: 'tools', role: 'group', 'aria-label': messages('handles') }, ...parts.map((part) => this.modeButton(part))),
      this.numbers.element,
      element('label', { class: 'check' }, this.showGone, messages('showGone')),
      this.share,
    );
    this.applyButton = button(messages('apply'), () => void this.apply(), { class: 'first' });
    this.stopButton = button(messages('cancel'), () => void this.stop(), { class: 'second', hidden: '' });
    this.fields = element(
      'fieldset',
      { class: 'plain' },
      element('label', { class: 'keeping' }, messages('keep'), this.keep),
      this.handles,
      element('label', { class: 'check' }, this.floaters, messages('floaters')),
      element('p', { class: 'quiet' }, messages('floatersHint')),
      element(
        'div',
        { class: 'decision' },
        button(messages('floor'), () => this.take('floor'), { class: 'second' }),
        button(messages('origin'), () => this.take('origin'), { class: 'second' }),
        button(messages('reset'), () => this.reset(), { class: 'second' }),
      ),
    );
    this.element = element(
      'section',
      { class: 'clean', 'aria-label': messages('title') },
      element(
        'div',
        { class: 'scroll' },
        element('h3', { tabindex: '-1' }, messages('subject', { name })),
        this.fields,
        element('p', { class: 'quiet' }, messages('note')),
      ),
      this.status,
      this.bar,
      element(
        'div',
        { class: 'decision actions' },
        this.applyButton,
        this.stopButton,
        button(messages('close'), () => this.close(), { class: 'second' }),
      ),
    );
    window.addEventListener('keydown', (event) => this.pressKey(event), { signal: this.off.signal, capture: true });
    if (this.wrongScale) this.say(messages('stretched'));
    this.reset();
  }

  private get entity(): EntityRow {
    return this.options.entity();
  }

  /** The placement of the entity, without what this preview turns. */
  private get placement(): Mat4 {
    const { position, rotation, scale } = placementOf(this.entity.data);
    return new Mat4().setTRS(new Vec3(...position), new Quat().setFromEulerAngles(...rotation), new Vec3(...scale));
  }

  private get shape(): Crop['shape'] {
    return this.keep.value as Crop['shape'];
  }

  focus(): void {
    this.element.querySelector('h3')?.focus();
  }

  private modeButton(part: Part): HTMLButtonElement {
    const label = this.messages(part);
    const made = button('', () => this.setMode(part), { title: label, 'aria-label': label, 'aria-pressed': 'false' });
    made.append(draw(editIcons[part]));
    this.modes.set(part, made);
    return made;
  }

  setMode(part: Part): void {
    this.gizmos.mode = part;
    this.refresh();
  }

  /** Starts without a box, a turn and an origin. */
  private reset(): void {
    this.keep.value = 'all';
    this.floaters.checked = false;
    this.turn = null;
    this.origin = null;
    this.take(null);
  }

  /** Puts the frame around most of the capture when it is used first. */
  private choose(shape: Crop['shape']): void {
    if (shape !== 'all') {
      const { middle, size } = this.surround();
      this.frame.setLocalPosition(middle);
      this.frame.setLocalEulerAngles(0, 0, 0);
      this.frame.setLocalScale(shape === 'box' ? size : Vec3.ONE.clone().mulScalar(Math.max(size.x, size.y, size.z)));
    }
    this.numbers.element.dataset['shape'] = shape;
    const legend = this.numbers.element.querySelector('[data-part="scale"] legend');
    if (legend) legend.textContent = this.messages(shape === 'sphere' ? 'diameterField' : 'scaleField');
    if (shape === 'sphere' && this.gizmos.mode === 'rotation') this.gizmos.mode = 'scale';
    this.refresh();
  }

  private surround(): { middle: Vec3; size: Vec3 } {
    const places = sampleCentres(this.options.node, samples);
    const ends = (['x', 'y', 'z'] as const).map((axis) => {
      const sorted = places.map((place) => place[axis]).sort((a, b) => a - b);
      const cut = Math.floor(sorted.length * outside);
      return [sorted[cut] ?? NaN, sorted[sorted.length - 1 - cut] ?? NaN] as const;
    });
    if (ends.some(([low]) => Number.isNaN(low))) {
      const box = sceneBounds([this.options.node]);
      return { middle: box?.center.clone() ?? new Vec3(), size: (box?.halfExtents.clone() ?? Vec3.ONE.clone()).mulScalar(2) };
    }
    const [x, y, z] = ends as [readonly [number, number], readonly [number, number], readonly [number, number]];
    const edge = ([low, high]: readonly [number, number]): number => Math.max((high - low) * margin, 10 * smallest);
    return { middle: new Vec3((x[0] + x[1]) / 2, (y[0] + y[1]) / 2, (z[0] + z[1]) / 2), size: new Vec3(edge(x), edge(y), edge(z)) };
  }

  /** Follows the handles. A ball has one diameter. */
  private moved(part: Part): void {
    const { x, y, z } = this.frame.getLocalScale();
    const sizes = [x, y, z].map((size) => Math.max(smallest, Math.abs(size))) as [number, number, number];
    if (part === 'scale' && this.shape === 'sphere') {
      const before = this.diameter;
      const changed = sizes.reduce((one, other) => (Math.abs(other - before) > Math.abs(one - before) ? other : one));
      sizes.fill(changed);
    }
    this.frame.setLocalScale(...sizes);
    this.refresh();
  }

  private typed(part: Part, value: Triple): void {
    if (part === 'position') this.frame.setLocalPosition(...value);
    else if (part === 'rotation') this.frame.setLocalEulerAngles(...value);
    else this.frame.setLocalScale(...value);
    this.moved(part);
  }

  /** Lets the owner click places for something; null ends that. */
  private take(what: 'floor' | 'origin' | null): void {
    this.taking = this.job ? null : what;
    this.points = [];
    this.options.canvas.classList.toggle('picking', this.taking !== null);
    this.say(what === 'floor' ? this.messages('floorHint', { count: '0' }) : what === 'origin' ? this.messages('originHint') : '');
    if (what) this.options.canvas.focus({ preventScroll: true });
    this.refresh();
  }

  /** Takes the place at a point of the canvas, in CSS pixels. */
  async click(x: number, y: number): Promise<void> {
    if (!this.taking) return;
    const { stage, node } = this.options;
    await stage.drawFrame();
    const place = await surfacePoint({ stage, solids: [], captures: [node] }, x, y);
    if (!this.taking || this.isClosed) return;
    if (!place) {
      this.say(this.messages('noSurface'));
      return;
    }
    this.points.push(new Vec3(...place));
    if (this.taking === 'origin') {
      this.origin = this.points[0]!;
      this.take(null);
    } else if (this.points.length < 3) {
      this.say(this.messages('floorHint', { count: String(this.points.length) }));
      this.refresh();
    } else {
      this.turnToFloor();
    }
  }

  private turnToFloor(): void {
    const turn = toFloor(this.points, this.options.stage.camera.getPosition());
    if (!turn) {
      this.points = [];
      this.say(this.messages('floorLine'));
      this.refresh();
      return;
    }
    this.turn = this.turn ? turn.mul(this.turn) : turn;
    if (this.origin) this.origin = turn.transformPoint(this.origin);
    this.take(null);
  }

  private pressKey(event: KeyboardEvent): void {
    const { canvas } = this.options;
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === 'Escape' && this.taking) this.take(null);
    else if (event.key === 'Enter' && this.taking && document.activeElement === canvas)
      void this.click(canvas.clientWidth / 2, canvas.clientHeight / 2);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  private say(line: string): void {
    this.status.textContent = line;
  }

  /** Shows everything as the state is now, also after the scene has placed the capture again. */
  refresh(): void {
    if (this.isClosed) return;
    const { node, stage } = this.options;
    const { entity, messages, shape, job } = this;
    if (!node.gsplat) {
      this.close(); // the entity shows another file now
      return;
    }
    setPlacement(node, placementOf(entity.data));
    if (this.turn) {
      const turned = new Mat4().mul2(this.turn, this.placement);
      node.setLocalPosition(turned.getTranslation());
      node.setLocalRotation(new Quat().setFromMat4(this.turn).mul(new Quat().setFromEulerAngles(...placementOf(entity.data).rotation)));
    }
    this.diameter = this.frame.getLocalScale().x;
    this.handles.hidden = shape === 'all';
    this.gizmos.attach(shape === 'all' || job ? null : this.frame);
    for (const [part, made] of this.modes) made.setAttribute('aria-pressed', String(part === this.gizmos.mode));
    this.modes.get('rotation')!.hidden = shape === 'sphere';
    this.preview.show(shape, this.floaters.checked, this.showGone.checked);
    const read = ({ x, y, z }: Vec3): Triple => [x, y, z];
    const { frame } = this;
    this.numbers.show(
      { position: read(frame.getLocalPosition()), rotation: read(frame.getLocalEulerAngles()), scale: read(frame.getLocalScale()) },
      false,
    );
    const share = shape === 'all' ? 1 : this.shareOf(shape);
    const percent = new Intl.NumberFormat(this.options.language, { style: 'percent', maximumFractionDigits: 1 });
    this.share.textContent = share > 0 ? messages('stays', { share: percent.format(share) }) : messages('nothing');
    this.lines.show(
      [...this.points, ...(this.origin ? [this.origin] : [])].map((point) => ({
        kind: 'distance' as const,
        points: [read(point)],
        label: '',
      })),
    );
    const isIdle = shape === 'all' && !this.floaters.checked && !this.turn && !this.origin;
    this.applyButton.disabled = this.wrongScale || isIdle || share === 0;
    this.applyButton.hidden = this.fields.disabled = job !== null;
    this.stopButton.hidden = this.bar.hidden = job === null;
    stage.invalidate();
  }

  private shareOf(shape: Crop['shape']): number {
    const places = sampleCentres(this.options.node, samples);
    const toFrame = this.frame.getWorldTransform().clone().invert();
    const inside = places.filter((place) => {
      const { x, y, z } = toFrame.transformPoint(place);
      return shape === 'sphere' ? Math.hypot(x, y, z) <= 0.5 : Math.max(Math.abs(x), Math.abs(y), Math.abs(z)) <= 0.5;
    });
    return places.length === 0 ? 1 : inside.length / places.length;
  }

  private async apply(): Promise<void> {
    const { spaceId, isSaved, explain } = this.options;
    const { entity, messages, frame } = this;
    this.numbers.finish();
    if (!isSaved()) {
      this.say(messages('unsaved'));
      return;
    }
    const crop = { shape: this.shape, position: frame.getLocalPosition(), rotation: frame.getLocalRotation(), size: frame.getLocalScale() };
    const { edits, placement } = cleanUp({
      ...{ placement: this.placement, isYUp: isYUp(entity), turn: this.turn, crop, floaters: this.floaters.checked, origin: this.origin },
    });
    this.take(null);
    this.bar.removeAttribute('value');
    this.job = '';
    this.options.started();
    this.say(messages('starting'));
    this.refresh();
    try {
      const data = { ...named(entity), ...(placement ? placed(entity, placement) : {}) };
      this.job = await startCleanUp(entity.file!.id, edits, { spaceId, entityId: entity.entityId, data });
      const { status, error } = await followJob(this.job, ({ progress }) => this.progress(progress), new AbortController().signal);
      this.finish(status === 'COMPLETED', error);
    } catch (problem) {
      console.warn('A capture cannot be cleaned up:', problem);
      this.finish(false, explain(problem));
    }
  }

  private progress(percent: number): void {
    this.bar.value = percent;
    this.say(this.messages('running', { percent: String(Math.floor(percent)) }));
  }

  private async stop(): Promise<void> {
    if (!this.job) return;
    this.isStopped = true;
    await cancelJob(this.job).catch(() => {}); // it has ended meanwhile
  }

  private finish(done: boolean, reason: string | null): void {
    const { messages, options } = this;
    const because = (reason ?? '').replace(/\.$/, '');
    const line = done ? messages('done') : this.isStopped ? messages('canceled') : messages('failed', { reason: because });
    this.job = null;
    this.isStopped = false;
    const wasClosed = this.isClosed;
    if (done) this.close();
    options.ended(done || wasClosed ? line : null, !done);
    if (this.isClosed) return;
    this.say(line);
    this.refresh();
  }

  /** Shows the capture as it is; a job goes on. */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.off.abort();
    this.options.hold(false);
    this.options.canvas.classList.remove('picking');
    this.gizmos.destroy();
    this.preview.destroy();
    this.lines.destroy();
    this.frame.destroy();
    if (this.options.node.gsplat) setPlacement(this.options.node, placementOf(this.entity.data));
    this.options.stage.invalidate();
    this.element.remove();
    this.options.closed();
  }
}

/** Keeps the name of a thing that has only that of its file: the name of the new file tells its format. */
function named(entity: EntityRow): Data {
  const name = nameOf(entity);
  return name === entity.file?.name ? { title: name.replace(/(\.compressed|\.lod-meta)?\.[^.]+$/, '') } : {};
}

/** Returns the fields of an entity that place it. */
function placed(entity: EntityRow, { position, rotation }: { position: Vec3; rotation: Vec3 }): Data {
  return {
    ...placementChange(entity, 'position', [position.x, position.y, position.z]),
    ...placementChange(entity, 'rotation', [rotation.x, rotation.y, rotation.z]),
  };
}
