// All entities of a space in the scene, kept equal to the server's.

import type { Entity } from 'playcanvas';
import { awaitsMesh, awaitsView, contentAddress, fileName, guiding, isDrawable, isHidden, kindOf, object, whyUnseen } from '../entity.ts';
import type { Solid } from '../move/solid.ts';
import { isOlder } from '../server/space.ts';
import type { Data, EntityRow } from '../server/space.ts';
import { Capture } from './capture.ts';
import { Gate } from './gate.ts';
import type { Item } from './item.ts';
import { Image, Sound, Video } from './media.ts';
import { Model } from './model.ts';
import type { Surroundings, Target, Thing } from './thing.ts';
import { Plugin } from '../plugin/plugin.ts';

interface Slot extends Item {
  /** What the thing shows; a change needs a new thing. */
  content: string;
  timer: number;
  tries: number;
}

export interface WorldEvents {
  /** An entity was added, removed, or has another state. */
  changed(): void;
  groundChanged(): void;
  openGate(gate: Gate): void;
  /** Reads an entity again, whose file may be ready by now. */
  reload(entityId: string): Promise<EntityRow | null>;
}

const firstRetry = 4000;
const maxRetries = 7;
/** The maximum of plugins that run at the same time: each has a frame and a thread. */
const maxPlugins = 16;

export class World {
  private readonly slots = new Map<string, Slot>();
  private readonly surroundings: Surroundings;
  private readonly events: WorldEvents;

  constructor(surroundings: Surroundings, events: WorldEvents) {
    this.surroundings = surroundings;
    this.events = events;
  }

  /** The entities in the order of their creation. */
  get items(): readonly Item[] {
    return [...this.slots.values()];
  }

  get captures(): readonly Capture[] {
    return this.items.map((item) => item.thing).filter((thing) => thing instanceof Capture);
  }

  get solids(): readonly Solid[] {
    return this.captures.map((capture) => capture.voxels).filter((voxels) => voxels !== null);
  }

  get targets(): readonly Target[] {
    return this.items.flatMap((item) => item.thing?.targets ?? []);
  }

  get sounds(): readonly Sound[] {
    return this.items.map((item) => item.thing).filter((thing) => thing instanceof Sound);
  }

  get loading(): boolean {
    return this.items.some((item) => item.state === 'loading');
  }

  /** The captures whose views the server still makes. */
  get preparing(): readonly Item[] {
    return this.items.filter((item) => item.state === 'preparing');
  }

  nodeOf(entityId: string): Entity | null {
    return this.slots.get(entityId)?.thing?.node ?? null;
  }

  /** Makes the scene show exactly these entities. */
  replace(entities: readonly EntityRow[]): void {
    const ids = new Set(entities.map((entity) => entity.entityId));
    for (const id of [...this.slots.keys()]) if (!ids.has(id)) this.remove(id);
    for (const entity of entities) this.put(entity);
  }

  /** Adds an entity, or shows what has changed of it. */
  put(entity: EntityRow): void {
    const slot = this.slots.get(entity.entityId);
    // A response may be older than an event that overtook it.
    if (slot && isOlder(entity, slot.entity)) return;
    const content = this.contentOf(entity);
    if (slot?.content === content) {
      this.update(slot, entity);
      return;
    }
    if (slot) this.empty(slot);
    const next: Slot = {
      entity,
      kind: kindOf(entity),
      state: 'loading',
      reason: null,
      thing: null,
      content,
      timer: 0,
      tries: slot?.tries ?? 0,
    };
    this.slots.set(entity.entityId, next);
    void this.fill(next);
  }

  /** Shows what has changed of an entity that still shows the same. */
  private update(slot: Slot, entity: EntityRow): void {
    const awaited = awaitsCollision(slot);
    slot.entity = entity;
    slot.thing?.place(entity);
    if (slot.thing instanceof Capture) {
      if (awaited && !awaitsCollision(slot)) void this.loadCollision(slot, slot.thing);
      this.events.groundChanged();
    }
    this.events.changed();
  }

  remove(entityId: string): void {
    const slot = this.slots.get(entityId);
    if (!slot) return;
    this.slots.delete(entityId);
    this.empty(slot);
    this.events.changed();
  }

  private empty(slot: Slot): void {
    clearTimeout(slot.timer);
    slot.thing?.destroy();
    const ground = slot.thing instanceof Capture;
    slot.thing = null;
    if (ground) this.events.groundChanged();
  }

  private isCurrent(slot: Slot): boolean {
    return this.slots.get(slot.entity.entityId) === slot;
  }

  private async fill(slot: Slot): Promise<void> {
    this.events.changed();
    try {
      const thing = await this.load(slot);
      if (!this.isCurrent(slot)) {
        if (!(thing instanceof Plugin)) thing?.destroy(); // a plugin is destroyed with its slot
        return;
      }
      slot.thing = thing;
      slot.state = thing ? 'shown' : slot.state === 'loading' ? 'invisible' : slot.state;
      // It may have been moved while it was loaded.
      thing?.place(slot.entity);
      if (thing instanceof Capture) void this.loadCollision(slot, thing);
    } catch (error) {
      console.warn(`${slot.entity.entityId} cannot be shown:`, error);
      slot.state = 'failed';
      slot.reason ??= { key: 'becauseLoad', detail: '' };
    }
    this.events.changed();
  }

  private async load(slot: Slot): Promise<Thing | null> {
    const { entity, kind } = slot;
    const address = contentAddress(entity);
    if (isHidden(entity)) return null;
    if (kind === 'gate') return new Gate(entity, this.surroundings, this.events.openGate);
    slot.reason = whyUnseen(entity);
    if (slot.reason) throw new Error(`${slot.reason.key} ${slot.reason.detail}`);
    if (kind === 'spawn' || kind === 'other' || kind === 'measurement' || guiding.includes(kind)) return null;
    if (address === '') throw new Error('its file is on another server');
    if (kind === 'capture' || awaitsMesh(entity)) {
      if (kind === 'capture' && isDrawable(address) && !awaitsView(entity)) return Capture.load(entity, this.surroundings);
      slot.state = 'preparing';
      this.retry(slot);
      return null;
    }
    if (kind === 'plugin') return this.run(slot);
    if (kind === 'model') return Model.load(entity, this.surroundings);
    if (kind === 'image') return Image.load(entity, this.surroundings);
    if (kind === 'video') return Video.load(entity, this.surroundings);
    return new Sound(entity, this.surroundings);
  }

  /** Runs a plugin of the owner. A file of another account is never run. */
  private run(slot: Slot): Thing | null {
    const { plugins } = this.surroundings;
    if (!plugins.allowed || plugins.frame === '') {
      slot.state = 'off';
      return null;
    }
    if (!slot.entity.file) throw new Error('its plugin is not of the owner of the space');
    if (this.items.filter(({ thing, state }) => thing instanceof Plugin && state !== 'failed').length >= maxPlugins)
      throw new Error('too many plugins');
    // It counts at once: the others may start before this one is shown.
    slot.thing = new Plugin(slot.entity, this.surroundings, (reason) => {
      console.warn(`${slot.entity.entityId}: its plugin was ended: ${reason}`);
      slot.state = 'failed';
      this.events.changed();
    });
    return slot.thing;
  }

  /** Loads again what could not be loaded, and captures too where nothing of them was drawn. */
  async loadAgain(withCaptures: boolean): Promise<void> {
    const missing = [...this.slots.values()].filter(
      ({ reason, thing }) => reason?.key === 'becauseLoad' || (withCaptures && thing instanceof Capture),
    );
    await Promise.all(
      missing.map(async (slot) => {
        // An address may have expired.
        const entity = await this.events.reload(slot.entity.entityId).catch(() => null);
        if (!this.isCurrent(slot)) return;
        this.empty(slot);
        slot.content = '';
        this.put(entity ?? slot.entity);
      }),
    );
  }

  /** Starts or stops the plugins. */
  allowPlugins(allowed: boolean): void {
    if (this.surroundings.plugins.allowed === allowed) return;
    this.surroundings.plugins.allowed = allowed;
    for (const { entity } of this.items) this.put(entity);
  }

  /** Returns a text that changes when the entity shows something else, not when it moves. */
  private contentOf(entity: EntityRow): string {
    const kind = kindOf(entity);
    const { file } = entity;
    // An address may be signed and then changes with time; its last part says whether the
    // capture has a view by now.
    const shows = file ? [file.id, fileName(file.viewUrl), awaitsView(entity), whyUnseen(entity)] : [entity.readUrl];
    const runs = kind === 'plugin' && this.surroundings.plugins.allowed;
    return JSON.stringify([kind, isHidden(entity), runs, ...(kind === 'gate' ? [withoutPlace(entity.data)] : shows)]);
  }

  /** Loads what visitors walk on in a capture; the server may not have made it yet. */
  private async loadCollision(slot: Slot, capture: Capture): Promise<void> {
    clearTimeout(slot.timer);
    const address = slot.entity.file?.collisionUrl;
    if (!address) {
      this.retry(slot);
      return;
    }
    try {
      await capture.loadCollision(address);
    } catch (error) {
      console.warn(`${slot.entity.entityId} has no collision:`, error);
    }
    if (this.isCurrent(slot)) this.events.groundChanged();
  }

  /** Reads the entity again, with growing delays, until its file is ready. */
  private retry(slot: Slot): void {
    if (slot.tries >= maxRetries) return;
    slot.timer = window.setTimeout(
      async () => {
        slot.tries++;
        const entity = await this.events.reload(slot.entity.entityId).catch(() => null);
        if (!this.isCurrent(slot)) return;
        if (entity) this.put(entity);
        if (this.isCurrent(slot) && (slot.state === 'preparing' || awaitsCollision(slot))) this.retry(slot);
      },
      firstRetry * 2 ** slot.tries,
    );
  }
}

/** Reports whether an entity shows a capture without a collision, which the server may still make. */
function awaitsCollision({ entity, thing }: Slot): boolean {
  return thing instanceof Capture && !entity.file?.collisionUrl;
}

/** Returns the data of a gate without its position. */
function withoutPlace(data: Data): Data {
  return { ...data, dynamicGate: { ...object(data, 'dynamicGate'), position: 0, rotation: 0, scale: 0 } };
}
