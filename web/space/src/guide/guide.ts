// What guides visitors through a space: annotations, tours and camera paths. Only spaces with one of
// these load it.

import { Vec3 } from 'playcanvas';
import { contentAddress, isHidden, nameOf, text } from '../entity.ts';
import type { Editor } from '../edit/editor.ts';
import type { Controls } from '../move/controls.ts';
import type { Solid } from '../move/solid.ts';
import type { Item } from '../scene/item.ts';
import type { Stage } from '../scene/stage.ts';
import type { World } from '../scene/world.ts';
import type { EntityRow, Triple } from '../server/space.ts';
import type { Target } from '../scene/thing.ts';
import { button, element } from '../ui/elements.ts';
import type { Overlay } from '../ui/overlay.ts';
import type { View } from '../view.ts';
import { annotationOf } from './annotation.ts';
import type { Annotation } from './annotation.ts';
import { Card } from './card.ts';
import './guide.css';
import { Marks } from './marks.ts';
import type { HeadsetGuide, HeadsetTour } from './headset.ts';
import type { GuideMessages } from './messages.ts';
import { loadGuideMessages } from './messages.ts';
import { Player } from './player.ts';
import type { Sequence } from './sequence.ts';
import { readPath } from './sequence.ts';
import { compileTour, flight, stopsOf } from './tour.ts';
import type { CompiledTour, Halt } from './tour.ts';
import { viewOf, viewpointOf } from './viewpoint.ts';
import type { Viewpoint } from './viewpoint.ts';

/** The largest file of a camera path, in bytes. */
const maxPathFile = 1 << 20;
/** How near a visitor opens an annotation that opens by itself, in metres. */
const near = 2;
/** Seconds of a flight to an annotation. */
const flightTime = 1.6;
/** Keys that move the visitor, and Escape. */
const skipping = /^(Key[WASDEQ]|Arrow|Space|Page|Escape)/;

export interface GuideOptions {
  scene: HTMLElement;
  overlay: Overlay;
  stage: Stage;
  controls: Controls;
  world: World;
  reducedMotion: boolean;
  mayLoad(address: string): boolean;
  solids(): readonly Solid[];
  editor(): Editor | null;
  /** Puts a visitor with a headset at a view. */
  putAt(view: View): void;
}

/** A tour that is played: its entity, its halts, and the one that was reached last. */
interface Running {
  id: string;
  tour: CompiledTour;
  halt: Halt | null;
}

export class Guide {
  private readonly options: GuideOptions;
  private readonly messages: GuideMessages;
  private readonly marks: Marks;
  private readonly card: Card;
  private readonly player: Player;
  private readonly bar = element('div', { class: 'tour-bar', role: 'group', hidden: '' });
  private readonly progress: HTMLProgressElement;
  private readonly narration = new Audio();
  private readonly ended = new AbortController();
  private items: readonly Item[] = [];
  private annotations: Annotation[] = [];
  private opened: string | null = null;
  private readonly seen = new Set<string>();
  private running: Running | null = null;
  /** A path or a flight ends when the visitor moves, and a tour pauses. */
  private onMove: (() => void) | null = null;
  private request = 0;
  private isWorn = false;
  /** What a visitor with a headset sees instead. */
  private inHeadset: HeadsetGuide | null = null;

  static async create(options: GuideOptions): Promise<Guide> {
    return new Guide(options, await loadGuideMessages(options.scene.dataset['language'] ?? 'en'));
  }

  private constructor(options: GuideOptions, messages: GuideMessages) {
    this.options = options;
    this.messages = messages;
    const { scene, overlay, stage, controls, world } = options;
    this.player = new Player(stage, controls, (id) => world.nodeOf(id));
    this.card = new Card(messages, {
      close: () => this.closeCard(),
      step: (by) => this.step(by),
      mayLoad: (address) => options.mayLoad(address),
    });
    this.marks = new Marks(
      stage,
      () => options.solids(),
      (id) => this.press(id),
      () => [this.bar, this.card.element, ...scene.querySelectorAll<HTMLElement>(':scope > :is(.toolbar, .editor)')],
    );
    this.progress = element('progress', { max: '1', value: '0', 'aria-label': messages('progress') });
    overlay.canvas.after(this.marks.element);
    scene.append(this.bar, this.card.element);
    const { signal } = this.ended;
    window.addEventListener('hashchange', () => this.followAddress(), { signal });
    window.addEventListener('keydown', (event) => this.pressKey(event), { signal });
    for (const name of ['pointerdown', 'wheel'] as const) overlay.canvas.addEventListener(name, () => this.onMove?.(), { signal });
    scene.querySelector('.stick')?.addEventListener('pointerdown', () => this.onMove?.(), { signal });
    stage.app.on('update', this.update, this);
  }

  /** What a visitor with a headset can point at. */
  get targets(): readonly Target[] {
    return this.inHeadset?.targets ?? [];
  }

  /** Where the visitor's eye is. */
  private get eye(): Triple {
    const { stage, controls } = this.options;
    if (!this.isWorn) return controls.current.eye;
    const { x, y, z } = stage.camera.getPosition();
    return [x, y, z];
  }

  private get isEditing(): boolean {
    return this.options.editor()?.active ?? false;
  }

  /** Shows what there is in the space now. */
  show(items: readonly Item[]): void {
    this.items = items.filter(({ entity }) => !isHidden(entity));
    this.annotations = this.items.filter(({ kind }) => kind === 'annotation').map(({ entity }) => annotationOf(entity));
    this.showMarks();
    if (this.opened !== null) this.fillCard();
    if (this.running && !this.items.some(({ entity }) => entity.entityId === this.running!.id)) this.endTour();
    if (!this.player.sequence) this.offer();
  }

  private showMarks(): void {
    const marks = this.annotations.map((one, i) => ({
      id: one.id,
      place: new Vec3(...one.position),
      label: one.title ? this.messages('marker', { number: String(i + 1), title: one.title }) : this.title(one),
    }));
    this.marks.show(marks, this.opened);
    this.inHeadset?.show(this.annotations.map((one) => ({ ...one, title: this.title(one) })));
  }

  private title(annotation: Annotation): string {
    return annotation.title || this.messages('untitled', { number: String(this.annotations.indexOf(annotation) + 1) });
  }

  /** Begins once the first picture is there: with what the address names, the intro, or a tour that starts by itself. */
  begin(): void {
    if (this.followAddress() || location.hash.startsWith('#view=') || this.isEditing) return;
    const { scene, reducedMotion } = this.options;
    if (reducedMotion || scene.dataset['embed'] === 'true') return;
    const intro = this.items.find(({ kind, entity }) => kind === 'path' && entity.data['autoPlay'] === true) ?? this.automaticTour();
    if (intro) void this.play(intro.entity);
  }

  private automaticTour(): Item | undefined {
    return this.items.find(({ kind, entity }) => kind === 'tour' && entity.data['autoPlay'] === true);
  }

  private followAddress(): boolean {
    const named = /^#annotation=(.+)$/.exec(location.hash)?.[1];
    if (!named) return false;
    let id = named;
    try {
      id = decodeURIComponent(named);
    } catch {
      // It is not encoded.
    }
    return this.open(id);
  }

  /** Opens an annotation, or plays a tour or a path; false for other entities. */
  open(entityId: string): boolean {
    const item = this.items.find(({ entity }) => entity.entityId === entityId);
    if (item?.kind === 'tour' || item?.kind === 'path') {
      void this.play(item.entity);
      return true;
    }
    const annotation = this.annotations.find(({ id }) => id === entityId);
    if (!annotation) return false;
    if (this.inHeadset) {
      this.inHeadset.open(entityId);
      return true;
    }
    this.endTour();
    this.showAnnotation(annotation);
    this.card.focus();
    const view = annotation.view ?? this.viewAhead(annotation);
    this.flyTo(view);
    return true;
  }

  /** Returns a view of an annotation from the visitor's side. */
  private viewAhead({ position }: Annotation): Viewpoint {
    const { eye } = this;
    const way = new Vec3(eye[0] - position[0], 0, eye[2] - position[2]);
    if (way.length() < 0.1) way.set(0, 0, 1);
    way.normalize().mulScalar(2.5);
    return { position: [position[0] + way.x, position[1] + 0.3, position[2] + way.z], target: position, fov: null };
  }

  private press(id: string): void {
    if (this.isEditing) {
      this.options.editor()!.choose(id);
      return;
    }
    const annotation = this.annotations.find((one) => one.id === id);
    if (!annotation) return;
    if (this.opened === id) {
      this.closeCard();
      return;
    }
    this.pause();
    this.showAnnotation(annotation);
    this.card.focus();
    if (annotation.view) this.flyTo(annotation.view);
  }

  private showAnnotation(annotation: Annotation): void {
    this.options.overlay.closePanels();
    this.opened = annotation.id;
    this.seen.add(annotation.id);
    this.fillCard();
    this.tell('annotation', annotation.id);
  }

  private fillCard(): void {
    const index = this.annotations.findIndex(({ id }) => id === this.opened);
    const annotation = this.annotations[index];
    if (!annotation) {
      this.closeCard();
      return;
    }
    this.card.show(annotation, this.title(annotation), index + 1, this.annotations.length);
    this.showMarks();
  }

  /** Goes to the next or the previous halt of the tour that is played, or else annotation. */
  move(by: 1 | -1): void {
    if (this.inHeadset) this.inHeadset.step(by);
    else if (this.running) this.goTo(by);
    else this.step(by);
  }

  private step(by: 1 | -1): void {
    const index = this.annotations.findIndex(({ id }) => id === this.opened);
    const next = this.annotations[(index + by + this.annotations.length) % this.annotations.length];
    if (next) this.open(next.id);
  }

  /** Ends what is played, and closes the annotation. */
  close(): void {
    this.inHeadset?.close();
    this.endTour();
    this.closeCard();
  }

  private closeCard(): void {
    const id = this.opened;
    const hadFocus = this.card.element.contains(document.activeElement);
    this.opened = null;
    this.card.hide();
    this.show(this.items);
    if (id !== null && hadFocus) this.marks.focus(id);
  }

  private pressKey(event: KeyboardEvent): void {
    if (event.isComposing) return; // the key is the input method's
    const { scene, overlay } = this.options;
    if (event.key === 'Escape' && !event.defaultPrevented && this.card.isOpen && !this.onMove && !scene.querySelector('dialog[open]')) {
      this.closeCard();
      return;
    }
    const focus = document.activeElement;
    if (skipping.test(event.code) && (focus === overlay.canvas || focus === document.body || event.key === 'Escape')) this.onMove?.();
  }

  /** Flies to a view, or shows it at once with reduced motion. A visitor with a headset stays. */
  private flyTo(view: Viewpoint, then: () => void = () => {}): void {
    const { controls, stage, reducedMotion } = this.options;
    if (stage.app.xr?.active) return;
    const { mode } = controls.current;
    const here = controls.current;
    this.player.stop();
    const arrive = (): void => {
      this.onMove = null;
      controls.show(viewOf(view, mode === 'walk' ? 'walk' : mode));
      then();
    };
    if (reducedMotion) {
      arrive();
      return;
    }
    const stop = (): void => {
      this.player.stop();
      this.onMove = null;
    };
    this.onMove = stop;
    this.player.play({ sequence: flight(viewpointOf(here), { ...view, fov: null }, flightTime), mode, end: arrive });
  }

  /** Plays a tour or a camera path. */
  async play(entity: EntityRow): Promise<void> {
    const { overlay, stage } = this.options;
    if (stage.app.xr?.active) {
      const tour = this.handTour(entity);
      if (tour) this.inHeadset?.play(tour);
      else overlay.say(this.messages(entity.type === 'TourEntity' ? 'tourEmpty' : 'notInHeadset'));
      return;
    }
    this.endTour();
    overlay.closePanels();
    if (entity.type === 'TourEntity') this.playTour(entity, 0);
    else await this.playPath(entity);
  }

  private async playPath(entity: EntityRow): Promise<void> {
    const request = ++this.request;
    const { overlay, controls, stage } = this.options;
    let sequence: Sequence | null;
    try {
      sequence = readPath(await loadPath(contentAddress(entity)), text(entity.data, 'targetEntityId'));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      overlay.say(this.messages('pathFailed', { reason }));
      return;
    }
    if (!sequence || request !== this.request || stage.app.xr?.active) return;
    const before = controls.current;
    // A walker has not moved: only the camera was elsewhere.
    const finish = (): void => {
      this.player.stop();
      this.onMove = null;
      if (before.mode === 'walk') controls.show(before);
      this.offer();
    };
    this.onMove = finish;
    this.player.play({
      sequence,
      loop: entity.data['loop'] === true,
      reverse: entity.data['reverse'] === true,
      mode: before.mode,
      marker: (marker) => this.fire(marker, entity.entityId),
      end: finish,
    });
    this.showBar(nameOf(entity), [button(this.messages('skip'), finish, { title: this.messages('skipHint') })]);
  }

  private fire(marker: unknown, path: string): void {
    this.tell('marker', { marker, path });
  }

  /** Tells pages that listen what happens. */
  private tell(name: string, detail: unknown): void {
    this.options.scene.dispatchEvent(new CustomEvent(`portico:${name}`, { detail }));
  }

  private playTour(entity: EntityRow, from: number): void {
    const { overlay, controls } = this.options;
    const name = nameOf(entity);
    const tour = this.compile(entity);
    if (!tour) {
      overlay.say(this.messages('tourEmpty'));
      return;
    }
    const running: Running = { id: entity.entityId, tour, halt: null };
    const { mode } = controls.current;
    const start = (): void => {
      this.running = running;
      this.onMove = () => this.pause();
      this.player.play({
        sequence: tour.sequence,
        from,
        loop: entity.data['loop'] === true,
        mode,
        // With reduced motion a flight is a cut.
        limit: (frame) => this.limit(running, frame),
        frame: (frame) => {
          this.progress.value = frame / tour.sequence.length;
          this.arrive(running, frame);
        },
        end: () => this.endTour(),
      });
      this.arrive(running, from);
      this.showTour(entity, name);
    };
    const first = tour.halts[0]!.view;
    if (from === 0) this.flyTo(first, start);
    else start();
  }

  private compile(entity: EntityRow): CompiledTour | null {
    return compileTour(nameOf(entity), stopsOf(entity), (id) => {
      const annotation = this.annotations.find((one) => one.id === id);
      return annotation ? (annotation.view ?? this.viewAhead(annotation)) : null;
    });
  }

  /** Returns a tour that a visitor with a headset steps through; null for a path and a tour without stops. */
  private handTour(entity: EntityRow | undefined): HeadsetTour | null {
    const tour = entity?.type === 'TourEntity' ? this.compile(entity) : null;
    return tour && { id: entity!.entityId, name: nameOf(entity!), loop: entity!.data['loop'] === true, halts: tour.halts };
  }

  /** Shows the guide in the scene, to a visitor who has put a headset on. */
  private async putOn(): Promise<void> {
    this.endTour();
    this.closeCard();
    const { HeadsetGuide } = await import('./headset.ts');
    if (!this.isWorn || this.inHeadset || this.ended.signal.aborted) return;
    const { scene, stage, controls, putAt, mayLoad } = this.options;
    this.inHeadset = new HeadsetGuide({
      ...{ scene, stage, messages: this.messages, mayLoad },
      move: (view) => putAt(viewOf(view, controls.current.mode)),
      narrate: (address) => this.narrate(address),
      tell: (name, detail) => this.tell(name, detail),
      tour: () => this.handTour(this.items.find(({ kind }) => kind === 'tour')?.entity),
    });
    this.showMarks();
  }

  private takeOff(): void {
    this.inHeadset?.destroy();
    this.inHeadset = null;
  }

  /** Waits at a halt while its narration is heard, and skips flights with reduced motion. */
  private limit(running: Running, frame: number): number {
    const at = running.tour.halts.find(({ arrive, leave }) => frame >= arrive && frame <= leave);
    if (at && frame >= at.leave - 1 && !this.narration.paused && !this.narration.ended) return Math.max(frame, at.leave - 1);
    if (!at && this.options.reducedMotion) this.player.frame = running.tour.halts.find(({ arrive }) => arrive >= frame)?.arrive ?? frame;
    return Infinity;
  }

  /** Shows what belongs to the halt that is reached. */
  private arrive(running: Running, frame: number): void {
    const halt = running.tour.halts.find(({ arrive, leave }) => frame >= arrive && frame <= leave) ?? null;
    if (halt === running.halt) return;
    running.halt = halt;
    this.narrate('');
    if (!halt) return;
    this.tell('tour', { entityId: running.id, stop: running.tour.halts.indexOf(halt), stops: running.tour.halts.length });
    const annotation = this.annotations.find(({ id }) => id === halt.stop.annotation);
    if (annotation) this.showAnnotation(annotation);
    else if (this.opened !== null) this.closeCard();
    this.narrate(halt.stop.sound);
  }

  /** Lets a sound be heard instead of the one before; an empty address is silence. */
  private narrate(sound: string): void {
    this.narration.pause();
    if (!sound || !this.options.mayLoad(sound)) return;
    this.narration.src = sound;
    this.narration.play().catch(() => {}); // a browser may refuse before the first click: the tour goes on
  }

  /** Pauses the tour that is played. */
  pause(): void {
    if (!this.running) return;
    this.onMove = null;
    this.player.pause();
    this.narration.pause();
    const item = this.items.find(({ entity }) => entity.entityId === this.running!.id);
    if (item) this.showTour(item.entity, nameOf(item.entity));
  }

  private goTo(by: 1 | -1): void {
    const { running } = this;
    if (!running) return;
    const { halts } = running.tour;
    const { frame } = this.player;
    const now = halts.filter(({ arrive }) => arrive <= frame).length - 1;
    const next = halts[Math.max(0, Math.min(halts.length - 1, now + by))]!;
    const item = this.items.find(({ entity }) => entity.entityId === running.id);
    if (!item) return;
    this.narration.pause();
    this.running = null;
    this.flyTo(next.view, () => this.playTour(item.entity, next.arrive));
  }

  private endTour(): void {
    if (!this.running && !this.onMove) return;
    if (this.running) this.tell('tour', { entityId: this.running.id, stop: null, stops: this.running.tour.halts.length });
    this.request++;
    this.running = null;
    this.onMove = null;
    this.player.stop();
    this.narration.pause();
    this.offer();
  }

  private showTour(entity: EntityRow, name: string): void {
    const { messages, player } = this;
    const toggle = button(messages(player.playing ? 'pause' : 'play'), () => {
      if (this.player.playing) this.pause();
      else this.continueTour(entity);
    });
    const focused = this.bar.contains(document.activeElement);
    this.showBar(name, [
      button(messages('previous'), () => this.goTo(-1)),
      toggle,
      button(messages('next'), () => this.goTo(1)),
      this.progress,
      button(messages('end'), () => this.endTour()),
    ]);
    if (focused) toggle.focus();
  }

  /** Flies back to where the tour was, and goes on. */
  private continueTour(entity: EntityRow): void {
    const { running } = this;
    if (!running) return;
    const { frame } = this.player;
    const halt = running.tour.halts.filter(({ arrive }) => arrive <= frame).at(-1) ?? running.tour.halts[0]!;
    this.running = null;
    this.flyTo(halt.view, () => this.playTour(entity, halt.arrive));
  }

  private showBar(title: string, controls: readonly HTMLElement[]): void {
    this.bar.setAttribute('aria-label', this.messages('tourBar', { title }));
    this.bar.replaceChildren(element('p', {}, title), ...controls);
    this.bar.hidden = false;
  }

  /** Offers the first tour, and the intro to visitors for whom it does not play by itself. */
  private offer(): void {
    const { reducedMotion, scene } = this.options;
    const isStill = reducedMotion || scene.dataset['embed'] === 'true';
    const offered =
      this.items.find(({ kind }) => kind === 'tour') ??
      (isStill ? this.items.find(({ kind, entity }) => kind === 'path' && entity.data['autoPlay'] === true) : undefined);
    this.bar.hidden = true;
    if (!offered || this.isEditing) return;
    this.showBar(nameOf(offered.entity), [button(this.messages('play'), () => void this.play(offered.entity))]);
  }

  private update(): void {
    const isWorn = this.options.stage.app.xr?.active ?? false;
    if (isWorn !== this.isWorn) {
      this.isWorn = isWorn;
      if (isWorn) this.putOn().catch((error: unknown) => console.warn('Annotations cannot be shown in the headset:', error));
      else this.takeOff();
    }
    if (isWorn) {
      const reached = this.inHeadset && !this.inHeadset.isOpen ? this.reached() : undefined;
      if (reached) {
        this.seen.add(reached.id);
        this.inHeadset!.open(reached.id);
      }
      return;
    }
    if (this.isEditing && !this.bar.hidden && !this.player.sequence) this.bar.hidden = true;
    if (this.player.sequence || this.opened !== null || this.isEditing || this.options.scene.dataset['state'] !== 'ready') return;
    const reached = this.reached();
    if (reached) this.showAnnotation(reached);
  }

  /** Returns an annotation that opens by itself, and that the visitor has come near for the first time. */
  private reached(): Annotation | undefined {
    if (!this.annotations.some(({ autoOpen }) => autoOpen)) return undefined;
    const { eye } = this;
    return this.annotations.find(
      ({ autoOpen, id, position }) =>
        autoOpen && !this.seen.has(id) && Math.hypot(...position.map((value, axis) => value - eye[axis]!)) <= near,
    );
  }

  destroy(): void {
    this.ended.abort();
    this.options.stage.app.off('update', this.update, this);
    this.takeOff();
    this.narration.pause();
    this.player.destroy();
    this.marks.destroy();
    this.card.element.remove();
    this.bar.remove();
  }
}

async function loadPath(address: string): Promise<unknown> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`status ${response.status}`);
  const file = await response.text();
  if (file.length > maxPathFile) throw new Error('the file is too large');
  return JSON.parse(file);
}
