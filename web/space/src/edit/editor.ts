// Editing in place: the owner of a space selects what is in it, and changes it.

import { Entity, Vec3 } from 'playcanvas';
import type { Clean } from '../clean/clean.ts';
import { guiding, kindOf, nameOf } from '../entity.ts';
import { annotationOf } from '../guide/annotation.ts';
import { writePath } from '../guide/sequence.ts';
import { compileTour, stopsOf } from '../guide/tour.ts';
import { viewpointOf } from '../guide/viewpoint.ts';
import { roomId } from '../room.ts';
import { sceneBounds } from '../scene/bounds.ts';
import { Capture } from '../scene/capture.ts';
import type { Item } from '../scene/item.ts';
import { setPlacement } from '../scene/thing.ts';
import type { Data, EntityRow, Triple } from '../server/space.ts';
import type { EditContext } from './context.ts';
import './edit.css';
import { describe, differingFields } from './describe.ts';
import { Drop } from './drop.ts';
import { currentValues, difference, isFixed, merge, placementOfEntity, placementChange } from './fields.ts';
import type { Part } from './fields.ts';
import type { Attempt } from './history.ts';
import { listenForKeys } from './keys.ts';
import type { KeyActions } from './keys.ts';
import { Lock } from './lock.ts';
import { loadEditMessages } from './messages.ts';
import type { EditMessages } from './messages.ts';
import { Gizmos } from './gizmos.ts';
import { wayToGround } from './ground.ts';
import { Outline } from './outline.ts';
import { Panel } from './panel.ts';
import { Pick } from './pick.ts';
import { describeProblem, needsSignIn } from './problem.ts';
import { entityServer, newEntityId, publicAddress } from './server.ts';
import { settings } from './settings.ts';
import { rightOf, wayToStand } from './settle.ts';
import type { Batch } from './settle.ts';
import { Changes } from './changes.ts';
import { upload } from './upload.ts';
import { element } from '../ui/elements.ts';

/** Where a new gate is, as a share of the height of the view: there is ground below the middle. */
const gateHeight = 0.7;

/** The maximum time for the picture, video or sound of an annotation, in milliseconds. */
const maxUpload = 600_000;

/** Returns an entity that the server does not have yet. */
function newEntity(prefix: string, type: string, data: Data): EntityRow {
  return { id: '', entityId: newEntityId(prefix), type, version: 0, createdAt: '', data, readUrl: null, file: null };
}

/** Returns a place in steps of a tenth of a millimetre. */
function rounded({ x, y, z }: Vec3): Triple {
  const round = (value: number): number => Math.round(value * 1e4) / 1e4;
  return [round(x), round(y), round(z)];
}

/** What exists only while the owner edits. */
interface Tools {
  pick: Pick;
  outline: Outline;
  gizmos: Gizmos;
  end: AbortController;
}

export class Editor {
  private readonly context: EditContext;
  private readonly messages: EditMessages;
  private readonly actions: KeyActions;
  private readonly panel: Panel;
  private readonly changes: Changes;
  readonly drop: Drop;
  /** While another editor holds the space, nothing can be changed here. */
  readonly lock = new Lock(() => this.refresh());
  private readonly ended = new AbortController();
  /** The node that represents a thing without a node of its own. */
  private readonly placeholder: Entity;
  private tools: Tools | null = null;
  private selected: string | null = null;
  /** What was added and does not stand yet: its size is known as soon as it is shown. */
  private readonly settling = new Map<string, Batch>();
  private mode: Part = 'position';
  /** Whether the next click is the place of a new annotation. */
  private placing = false;
  private picked: ((place: Triple) => void) | null = null;
  /** The tool that cleans up the capture that is selected; null while it is closed. */
  private clean: Clean | null = null;
  /** Entities as they were when a clean-up of their files began. */
  private readonly cleaned = new Map<string, EntityRow>();

  static async create(context: EditContext): Promise<Editor> {
    return new Editor(context, await loadEditMessages(context.scene.dataset['language'] ?? 'en'));
  }

  private constructor(context: EditContext, messages: EditMessages) {
    this.context = context;
    this.messages = messages;
    this.placeholder = context.stage.node('placeholder');
    const unlessCleaning = (act: () => void) => (): void => {
      if (!this.clean) act();
    };
    this.actions = {
      mode: (part) => (this.clean ? this.clean.setMode(part) : this.setMode(part)),
      undo: unlessCleaning(() => this.step('undo')),
      redo: unlessCleaning(() => this.step('redo')),
      ground: unlessCleaning(() => this.putOnGround()),
      duplicate: unlessCleaning(() => this.duplicate()),
      delete: unlessCleaning(() => this.delete()),
      deselect: unlessCleaning(() => this.select(null)),
      look: () => this.selected !== null && context.look(this.selected),
    };
    this.drop = new Drop(messages, {
      scene: context.scene,
      isOpen: () => !this.lock.held,
      place: (x, y) => this.tools?.pick.placeAt(x, y, context.solids()) ?? Vec3.ZERO,
      add: (entity, batch) => {
        this.settling.set(entity.entityId, batch);
        this.changes.create(entity);
      },
      batch: () => ({ along: rightOf(context.stage.camera), standing: [] }),
    });
    this.panel = new Panel(
      messages,
      {
        ...this.actions,
        add: () => this.drop.choose(),
        addGate: () => this.addGate(),
        addAnnotation: (byKeyboard) => this.addAnnotation(byKeyboard),
        addTour: () => this.addTour(),
        cleanUp: () => void this.cleanUp(),
        describeGate: (change) => {
          if (this.selected !== null && !this.lock.held) this.changes.change(this.selected, change);
        },
        typed: (part, value) => this.previewTyping(part, value),
        finished: () => this.changes.commit(),
        decide: (mine) => this.changes.saver.decide(this.undecided, mine),
      },
      {
        change: (change) => {
          if (this.selected !== null && !this.lock.held) this.changes.change(this.selected, change);
        },
        camera: () => ({ ...viewpointOf(context.eye()) }),
        annotations: () => context.world.items.filter(({ kind }) => kind === 'annotation').map(({ entity }) => entity),
        preview: () => void this.preview(),
        download: () => this.downloadPath(),
        attach: (file) => this.attach(file),
      },
      this.drop.element,
      settings(context, messages, (on) => this.hide(on), {
        data: () => this.changes.saver.entity(roomId)?.data ?? {},
        preview: (change) => {
          const shown = this.lock.held ? null : this.changes.preview(roomId, change);
          if (shown) context.showRoom(shown);
        },
        commit: () => this.changes.commit(),
        change: (change) => {
          this.finish();
          if (!this.lock.held) this.changes.change(roomId, change);
        },
        attach: (file) => this.attach(file),
        pickPlaces: (taken) => this.pickPlaces(taken),
      }),
    );
    this.changes = new Changes(context, entityServer(context.space.id), {
      attempted: (entityId) => this.showAttempt(entityId === roomId ? this.selected : entityId),
      refused: (_, attempts, problem) => this.showRefusal(attempts, problem),
      conflict: (entityId) => {
        if (entityId !== roomId && this.changes.saver.conflict(entityId)) this.select(entityId);
        else this.refresh();
      },
      gone: (entityId) => this.showDeletion(entityId),
      busy: (saving) => this.panel.showSaving(saving),
    });
    this.lock.set(context.space.lock);
    window.addEventListener(
      'beforeunload',
      (event) => {
        this.changes.commit();
        if (this.changes.saver.unsaved || this.drop.busy) event.preventDefault();
      },
      { signal: this.ended.signal },
    );
  }

  get active(): boolean {
    return this.tools !== null;
  }

  /** Starts or stops editing, and returns whether it is on now. */
  toggle(): boolean {
    const { scene, stage, world, contents } = this.context;
    if (this.tools) {
      this.select(null);
      this.tools.pick.destroy();
      this.tools.outline.destroy();
      this.tools.gizmos.destroy();
      this.tools.end.abort();
      this.tools = null;
      this.picked = null;
      this.panel.element.remove();
      contents.offerSelection(null);
      return false;
    }
    const gizmos = new Gizmos(stage, {
      start: () => this.drag(true),
      moved: (part) => this.previewDrag(part),
      end: (part) => {
        this.drag(false);
        this.previewDrag(part);
        this.changes.commit();
      },
    });
    this.tools = { pick: new Pick(stage, world), outline: new Outline(stage), gizmos, end: new AbortController() };
    scene.append(this.panel.element);
    listenForKeys(scene, this.context.overlay.canvas, this.actions, this.tools.end.signal);
    this.drop.listen(this.tools.end.signal);
    this.refresh();
    return true;
  }

  /** The entity about which the owner must decide next. */
  private get undecided(): string {
    return this.selected !== null && this.changes.saver.conflict(this.selected) ? this.selected : roomId;
  }

  /** Gives the places of the next clicks to taken, until it is called with null. */
  private pickPlaces(taken: ((place: Triple) => void) | null): void {
    if (taken) this.select(null);
    this.picked = taken;
  }

  async click(x: number, y: number): Promise<void> {
    if (this.clean) {
      await this.clean.click(x, y);
      return;
    }
    if (this.picked) {
      const place = await this.tools?.pick.surfaceAt(x, y, this.context.solids());
      if (place) this.picked?.(rounded(place));
      return;
    }
    if (this.placing) {
      await this.placeAnnotation(x, y);
      return;
    }
    const id = await this.tools?.pick.entityAt(x, y, this.markers());
    if (this.tools && id !== undefined) this.select(id);
  }

  /** Returns the places of things that have no picture. */
  private markers(): Map<string, Vec3> {
    const invisible = this.context.world.items.filter(({ thing, kind }) => (!thing || kind === 'sound') && !guiding.includes(kind));
    return new Map(invisible.map(({ entity }) => [entity.entityId, new Vec3(...placementOfEntity(entity).position)]));
  }

  /** Selects an entity that something over the view stands for. */
  choose(entityId: string): void {
    this.select(entityId);
  }

  private select(entityId: string | null): void {
    this.clean?.close();
    this.finish();
    this.selected = entityId;
    this.placing = false;
    this.refresh();
  }

  /** Hides everything that visitors do not see, or shows it again. */
  private hide(on: boolean): void {
    this.select(null);
    if (on) this.tools?.outline.show(null, new Map());
  }

  private setMode(part: Part): void {
    this.mode = part;
    if (this.tools) this.tools.gizmos.mode = part;
    this.refresh();
  }

  /** Shows the selection, the handles, the outline and the panel as the state is now. */
  refresh(): void {
    if (!this.tools) return;
    this.settle();
    const item = this.item();
    if (!item) this.selected = null;
    if (!item || this.lock.held) this.clean?.close();
    const entity = item && this.changes.saver.entity(item.entity.entityId);
    this.context.contents.offerSelection({
      label: this.messages('select'),
      name: (name) => this.messages('selectName', { name }),
      hidden: this.messages('hidden'),
      selected: this.selected,
      select: (id) => {
        this.select(id === this.selected ? null : id);
        if (this.selected === null) return;
        if (matchMedia('(max-width: 62rem)').matches) this.context.overlay.closePanels(); // they hide the editor
        this.panel.focus();
      },
    });
    const room = this.changes.saver.conflict(roomId);
    const node = item && entity ? this.nodeOf(item, item.entity) : null;
    this.tools.outline.show(this.clean ? null : node, this.markers());
    this.tools.gizmos.attach(this.clean || this.lock.held || (entity && isFixed(entity)) ? null : node);
    this.clean?.refresh();
    this.panel.show({
      selected: item && entity ? describe(item, this.context, this.messages, this.changes.saver.conflict(entity.entityId)) : null,
      room: room && { name: this.messages('spaceSettings'), conflict: differingFields(room) },
      mode: this.mode,
      canUndo: !this.lock.held && this.changes.history.canUndo,
      canRedo: !this.lock.held && this.changes.history.canRedo,
      held: this.lock.describe(this.messages, this.context.scene.dataset['language'] ?? 'en'),
    });
  }

  /** Sets what was added down on its base, unless the owner has moved it meanwhile. */
  private settle(): void {
    for (const { entity, thing, kind, state } of this.context.world.items) {
      const batch = this.settling.get(entity.entityId);
      // Nobody knows yet whether a capture without a start is a thing or a place.
      if (!batch || !thing || state !== 'shown' || (kind === 'capture' && !entity.file?.start)) continue;
      this.settling.delete(entity.entityId);
      const isPlace = kind === 'capture' && entity.file?.start?.scene !== 'OBJECT';
      const way = isPlace || kind === 'sound' ? null : wayToStand(thing.node, batch);
      if (!way) continue;
      batch.standing.push(thing.node);
      const [x, y, z] = placementOfEntity(entity).position;
      this.changes.settle(entity, placementChange(entity, 'position', [x + way.x, y + way.y, z + way.z]));
    }
  }

  private item(): Item | null {
    return this.context.world.items.find((item) => item.entity.entityId === this.selected) ?? null;
  }

  private nodeOf(item: Item, entity: EntityRow): Entity {
    if (item.thing) return item.thing.node;
    setPlacement(this.placeholder, placementOfEntity(entity));
    return this.placeholder;
  }

  /** While the handles are dragged, the view does not move. */
  private drag(on: boolean): void {
    if (this.selected !== null) this.settling.delete(this.selected);
    if (on) this.finish();
    this.context.input.paused = on;
  }

  /** Reads the placement of the node that the handles have moved. */
  private previewDrag(part: Part): void {
    const item = this.item();
    const entity = item && this.changes.saver.entity(item.entity.entityId);
    if (!item || !entity) return;
    const node = item.thing?.node ?? this.placeholder;
    const value = { position: node.getLocalPosition(), rotation: node.getLocalEulerAngles(), scale: node.getLocalScale() }[part];
    const shown = this.changes.preview(entity.entityId, placementChange(entity, part, [value.x, value.y, value.z]));
    if (shown) this.panel.numbers.show(placementOfEntity(shown), kindOf(shown) === 'gate');
  }

  private putOnGround(): void {
    const item = this.movable();
    if (!item) return;
    const { world, solids } = this.context;
    const node = this.nodeOf(item, item.entity);
    const own = item.thing instanceof Capture ? item.thing.voxels : null;
    const others = world.items.flatMap(({ thing }) => (thing && thing !== item.thing ? [thing.node] : []));
    const rise = wayToGround(node, { solids: solids().filter((solid) => solid !== own), nodes: others });
    const [x, y, z] = placementOfEntity(item.entity).position;
    this.changes.change(item.entity.entityId, placementChange(item.entity, 'position', [x, y + rise, z]));
  }

  /** Opens the tool that cleans up the capture that is selected. */
  private async cleanUp(): Promise<void> {
    const item = this.movable();
    if (!item || !(item.thing instanceof Capture) || this.clean) return;
    const { thing, entity } = item;
    const { entityId } = entity;
    const { scene, stage, overlay, input, space, name } = this.context;
    try {
      const { Clean } = await import('../clean/clean.ts');
      const clean = await Clean.create({
        ...{
          stage,
          canvas: overlay.canvas,
          language: scene.dataset['language'] ?? 'en',
          spaceId: space.id,
          node: thing.node,
          name: name(item),
        },
        entity: () => this.changes.saver.entity(entityId) ?? entity,
        hold: (on) => {
          input.paused = on;
        },
        explain: (problem) => describeProblem(problem, this.messages),
        isSaved: () => !this.changes.saver.unsaved,
        started: () => this.cleaned.set(entityId, this.changes.saver.entity(entityId) ?? entity),
        closed: () => {
          this.clean = null;
          this.panel.element.classList.remove('cleaning');
          this.refresh();
        },
        ended: (line, failed) => {
          if (failed) this.cleaned.delete(entityId);
          if (line && failed) this.panel.showProblem(line, false);
          else if (line) overlay.say(line);
        },
      });
      if (!this.tools || this.clean || this.selected !== entityId || item.thing !== thing) {
        clean.close();
        return;
      }
      this.clean = clean;
      this.panel.element.append(clean.element);
      this.panel.element.classList.add('cleaning');
      this.panel.element.scrollTop = 0;
      this.refresh();
      clean.focus();
    } catch (problem) {
      console.warn('The tool cannot be loaded:', problem);
      this.panel.showProblem(this.messages('offline'), false);
    }
  }

  /** Makes a clean-up a step that can be undone, when its result is shown. */
  private recordCleanUp(entity: EntityRow): void {
    const before = this.cleaned.get(entity.entityId);
    if (!before || entity.data['glbUrl'] === before.data['glbUrl']) return;
    this.cleaned.delete(entity.entityId);
    const after = difference(before.data, entity.data);
    this.changes.history.add({ kind: 'change', entityId: entity.entityId, before: currentValues(before, after), after });
  }

  /** Adds a gate that faces the owner, on the ground ahead. */
  private addGate(): void {
    this.finish();
    const { scene, stage, solids } = this.context;
    if (this.lock.held || !this.tools) return;
    const place = this.tools.pick.placeAt(scene.clientWidth / 2, scene.clientHeight * gateHeight, solids());
    const ahead = stage.camera.forward;
    const yaw = (Math.atan2(-ahead.x, -ahead.z) * 180) / Math.PI;
    const entity = newEntity('gate', 'DynamicGate', {});
    const { x, y, z } = place;
    const data = merge(placementChange(entity, 'position', [x, y, z]), placementChange(entity, 'rotation', [0, yaw, 0]));
    this.changes.create({ ...entity, data });
  }

  /** Lets the owner click the place of an annotation; by the keyboard it is in the middle of the view. */
  private addAnnotation(byKeyboard: boolean): void {
    this.finish();
    if (this.lock.held || !this.tools) return;
    const { scene, overlay } = this.context;
    this.placing = true;
    if (byKeyboard) void this.placeAnnotation(scene.clientWidth / 2, scene.clientHeight / 2);
    else overlay.say(this.messages('annotationHint'));
  }

  private async placeAnnotation(x: number, y: number): Promise<void> {
    this.placing = false;
    const place = await this.tools?.pick.surfaceAt(x, y, this.context.solids());
    if (!place || !this.tools || this.lock.held) return;
    this.changes.create(
      newEntity('annotation', 'AnnotationEntity', {
        title: '',
        text: '',
        position: rounded(place),
        camera: viewpointOf(this.context.eye()),
      }),
    );
    this.panel.focusGuide();
  }

  /** Adds a tour that starts with the view that the owner has. */
  private addTour(): void {
    this.finish();
    if (this.lock.held || !this.tools) return;
    const stop = { camera: viewpointOf(this.context.eye()), seconds: 6, flight: 3 };
    this.changes.create(
      newEntity('tour', 'TourEntity', { title: this.context.messages('tour'), stops: [stop], autoPlay: false, loop: false }),
    );
    this.panel.focusGuide();
  }

  private async preview(): Promise<void> {
    const item = this.item();
    const guide = item && (await this.context.guide());
    if (guide) await guide.play(item.entity);
  }

  private downloadPath(): void {
    const entity = this.item()?.entity;
    if (!entity) return;
    const annotations = this.context.world.items.filter(({ kind }) => kind === 'annotation').map((item) => annotationOf(item.entity));
    const tour = compileTour(nameOf(entity), stopsOf(entity), (id) => annotations.find((one) => one.id === id)?.view ?? null);
    if (!tour) return;
    const file = new Blob([JSON.stringify(writePath(entity.entityId, tour.sequence))], { type: 'application/json' });
    const address = URL.createObjectURL(file);
    element('a', { href: address, download: `${nameOf(entity)}.path` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  }

  /** Uploads a file for an annotation, and returns its public address; null where that failed. */
  private async attach(file: File): Promise<string | null> {
    try {
      const stored = await upload(file, () => this.panel.showSaving(true), AbortSignal.timeout(maxUpload));
      return await publicAddress(stored.id);
    } catch (problem) {
      this.panel.showProblem(describeProblem(problem, this.messages), needsSignIn(problem));
      return null;
    } finally {
      this.panel.showSaving(this.changes.saver.unsaved);
    }
  }

  private duplicate(): void {
    const item = this.movable();
    if (!item) return;
    const box = sceneBounds([this.nodeOf(item, item.entity)]);
    this.changes.duplicate(item.entity, Math.min(5, Math.max(0.5, (box?.halfExtents.x ?? 0) * 2 + 0.25)));
  }

  private delete(): void {
    const item = this.movable();
    if (!item) return;
    this.changes.delete(item.entity);
    this.context.overlay.canvas.focus({ preventScroll: true });
  }

  /** Returns what is selected if it can be changed, after what is typed is saved. */
  private movable(): Item | null {
    this.finish();
    const item = this.item();
    return item && !this.lock.held && !isFixed(item.entity) ? item : null;
  }

  private previewTyping(part: Part, value: Triple): void {
    if (this.selected !== null) this.settling.delete(this.selected);
    const entity = this.selected === null ? null : this.changes.saver.entity(this.selected);
    const shown = entity && this.changes.preview(entity.entityId, placementChange(entity, part, value));
    if (shown) this.context.world.put(shown);
  }

  /** Saves what is typed or dragged, before anything else is done. */
  private finish(): void {
    this.panel.numbers.finish();
    this.changes.commit();
  }

  private step(direction: 'undo' | 'redo'): void {
    this.finish();
    if (!this.lock.held) this.changes[direction]();
  }

  private showAttempt(entityId: string | null): void {
    this.panel.hideProblem();
    this.selected = entityId;
    this.refresh();
  }

  private showRefusal(attempts: readonly Attempt[], problem: unknown): void {
    if (problem) {
      const again = this.messages(attempts.at(-1)?.direction === 'undo' ? 'undo' : 'redo');
      const lines = [this.messages('takenBack'), describeProblem(problem, this.messages), this.messages('again', { again })];
      this.panel.showProblem(lines.join(' '), needsSignIn(problem));
    }
    this.refresh();
  }

  private showDeletion(entityId: string): void {
    const item = this.context.world.items.find((one) => one.entity.entityId === entityId);
    if (entityId === this.selected) {
      this.panel.showProblem(this.messages('gone', { name: item ? this.context.name(item) : entityId }), false);
      this.selected = null;
    }
    this.refresh();
  }

  /** Returns what to show of an entity of the server; null for nothing. */
  receive(entity: EntityRow): EntityRow | null {
    this.recordCleanUp(entity);
    return this.changes.saver.receive(entity);
  }

  /** Reports whether an entity that the server has deleted is to be hidden. */
  receiveDeletion(entityId: string): boolean {
    return this.changes.saver.receiveDeletion(entityId);
  }

  /** Returns what to show of all entities of the server. */
  receiveAll(entities: readonly EntityRow[]): EntityRow[] {
    return this.changes.saver.receiveAll(entities);
  }

  destroy(): void {
    if (this.tools) this.toggle();
    this.lock.destroy();
    this.ended.abort();
    this.placeholder.destroy();
  }
}
