// Saves the owner's changes. The scene shows a change immediately; for each entity one request
// at a time makes the server equal to it. What others change meanwhile is merged by field, and
// where both changed a field, the owner decides.

import { ServerError } from '../server/graphql.ts';
import type { Data, EntityRow } from '../server/space.ts';
import { difference, isEmpty, merge, overlap } from './fields.ts';
import type { Attempt } from './history.ts';

/** The mutations; each returns the entity as it is then. */
export interface EntityServer {
  create(entity: EntityRow): Promise<EntityRow>;
  /** It is refused with CONFLICT when the entity has another version. */
  update(entityId: string, change: Data, version: number): Promise<EntityRow>;
  delete(entityId: string): Promise<void>;
}

export interface SaverEvents {
  show(entity: EntityRow): void;
  hide(entityId: string): void;
  /** The server refused attempts, which the scene no longer shows. */
  refused(entityId: string, attempts: readonly Attempt[], problem: unknown): void;
  /** A conflict began or ended. */
  conflict(entityId: string): void;
  /** Somebody else has deleted the entity. */
  gone(entityId: string): void;
  /** Saving has started, or everything is saved. */
  busy(saving: boolean): void;
}

interface Draft {
  /** The entity as the server has it; null where it has none. */
  base: EntityRow | null;
  /** What the owner wants to be there; null for nothing. Its data lacks changes. */
  wanted: EntityRow | null;
  /** Changes of data that the server has not confirmed. */
  changes: Data;
  /** Changes that are shown and not to be saved yet, for example while the owner drags. */
  preview: Data;
  attempts: Attempt[];
  saving: boolean;
  /** The owner must decide before anything else is saved. */
  undecided: boolean;
  /** A deletion was sent and not answered yet. */
  deleting: boolean;
  /** Deletions that the server has answered and whose events have not arrived. */
  deletions: number;
}

/** A conflict, both sides as the entity would be. */
export interface Conflict {
  mine: EntityRow;
  theirs: EntityRow;
}

export class Saver {
  private readonly kept = new Map<string, Draft>();
  private readonly server: EntityServer;
  private readonly events: SaverEvents;

  constructor(entities: readonly EntityRow[], server: EntityServer, events: SaverEvents) {
    this.server = server;
    this.events = events;
    for (const entity of entities) this.kept.set(entity.entityId, keep(entity, entity));
  }

  /** Returns the entity as the owner wants it; null where there is none. */
  entity(entityId: string): EntityRow | null {
    const kept = this.kept.get(entityId);
    return kept ? shown(kept, kept.changes) : null;
  }

  conflict(entityId: string): Conflict | null {
    const kept = this.kept.get(entityId);
    const mine = kept?.undecided ? this.entity(entityId) : null;
    return mine && kept?.base ? { mine, theirs: kept.base } : null;
  }

  /** Reports whether anything is not saved. */
  get unsaved(): boolean {
    return [...this.kept.values()].some((kept) => kept.saving || kept.undecided || kept.attempts.length > 0);
  }

  /** Stores a change that is not to be saved yet, and returns what to show. An empty change discards it. */
  preview(entityId: string, change: Data): EntityRow | null {
    const kept = this.kept.get(entityId);
    if (!kept) return null;
    kept.preview = change;
    return shown(kept, merge(kept.changes, change));
  }

  change(entityId: string, change: Data, attempt: Attempt): void {
    const kept = this.kept.get(entityId);
    if (!kept?.wanted) return;
    kept.preview = {};
    kept.changes = merge(kept.changes, change);
    kept.attempts.push(attempt);
    this.show(kept);
    this.save(entityId, kept);
  }

  create(entity: EntityRow, attempt: Attempt): void {
    const kept = this.kept.get(entity.entityId) ?? keep(null, null);
    this.kept.set(entity.entityId, kept);
    kept.wanted = { ...entity, version: 0 };
    kept.changes = kept.base ? difference(kept.base.data, entity.data) : {};
    kept.attempts.push(attempt);
    this.show(kept);
    this.save(entity.entityId, kept);
  }

  delete(entityId: string, attempt: Attempt): void {
    const kept = this.kept.get(entityId);
    if (!kept) return;
    Object.assign(kept, { wanted: null, changes: {}, preview: {}, undecided: false });
    kept.attempts.push(attempt);
    this.events.hide(entityId);
    this.save(entityId, kept);
  }

  /** Ends a conflict: the owner's values replace the others, or are discarded. */
  decide(entityId: string, mine: boolean): void {
    const kept = this.kept.get(entityId);
    if (!kept?.undecided) return;
    kept.undecided = false;
    if (!mine) this.giveUp(entityId, kept, null);
    this.events.conflict(entityId);
    if (mine) this.save(entityId, kept);
  }

  /** Records an entity from the server, and returns what to show; null for nothing. */
  received(entity: EntityRow): EntityRow | null {
    const kept = this.kept.get(entity.entityId);
    if (!kept || (!kept.wanted && !kept.saving && kept.deletions === 0)) {
      this.kept.set(entity.entityId, keep(entity, entity));
      return entity;
    }
    if (kept.wanted && !isOutdated(kept, entity)) {
      if (kept.base) kept.deletions = 0;
      this.rebase(kept, entity);
    }
    return shown(kept, merge(kept.changes, kept.preview));
  }

  /** Records that the server has deleted an entity, and reports whether to hide it. */
  removed(entityId: string): boolean {
    const kept = this.kept.get(entityId);
    if (!kept) return true;
    if (kept.deleting || kept.deletions > 0) {
      kept.deletions--; // the answer to the deletion may follow, and adds one
      return !kept.wanted;
    }
    if (kept.saving && !kept.base) return false;
    this.kept.delete(entityId);
    if (kept.wanted) this.events.gone(entityId);
    return true;
  }

  /** Records all entities from the server, and returns what to show. */
  replaced(entities: readonly EntityRow[]): EntityRow[] {
    const ids = new Set(entities.map((entity) => entity.entityId));
    for (const kept of this.kept.values()) if (!kept.saving) kept.deletions = 0;
    for (const entity of entities) this.received(entity);
    for (const [id, kept] of [...this.kept]) if (kept.base && !ids.has(id)) this.removed(id);
    return [...this.kept.values()].flatMap((kept) => shown(kept, merge(kept.changes, kept.preview)) ?? []);
  }

  /** Makes another state of the server the base. A field that both sides have changed is a conflict. */
  private rebase(kept: Draft, entity: EntityRow): void {
    const before = kept.base;
    kept.base = entity;
    if (!before || kept.saving || kept.undecided) return;
    const mine = merge(kept.changes, kept.preview);
    const theirs = difference(before.data, overlap(entity.data, mine));
    if (isEmpty(difference(theirs, overlap(mine, theirs)))) return;
    kept.undecided = true;
    this.events.conflict(entity.entityId);
  }

  private show(kept: Draft): void {
    const entity = shown(kept, merge(kept.changes, kept.preview));
    if (entity) this.events.show(entity);
  }

  private save(entityId: string, kept: Draft): void {
    if (kept.saving || kept.undecided) return;
    const change = kept.base ? difference(kept.base.data, kept.changes) : {};
    const request = this.request(entityId, kept, change);
    if (!request) {
      kept.attempts = [];
      kept.changes = {};
      this.events.busy(this.unsaved);
      return;
    }
    kept.saving = true;
    this.events.busy(true);
    void this.run(entityId, kept, request);
  }

  /** Returns the request that makes the server equal to what is wanted; null for none. */
  private request(entityId: string, kept: Draft, change: Data): (() => Promise<EntityRow | null>) | null {
    const { base, wanted } = kept;
    if (!wanted) return base && (() => this.server.delete(entityId).then(() => null));
    if (!base) {
      const entity = { ...wanted, data: merge(wanted.data, kept.changes) };
      return () => this.server.create(entity);
    }
    return isEmpty(change) ? null : () => this.server.update(entityId, change, base.version);
  }

  private async run(entityId: string, kept: Draft, request: () => Promise<EntityRow | null>): Promise<void> {
    const { base: before, changes: sent } = kept;
    kept.deleting = !kept.wanted;
    const attempts = kept.attempts.splice(0);
    try {
      const answer = await request();
      kept.saving = false;
      if (kept.deleting) kept.deletions++;
      // The event of a newer change may have come before this answer.
      if (!answer || !kept.base || answer.version >= kept.base.version) kept.base = answer;
      if (kept.wanted && answer) kept.wanted = answer;
      kept.changes = difference(sent, kept.changes);
      this.show(kept);
    } catch (problem) {
      kept.saving = false;
      kept.attempts.unshift(...attempts);
      this.recover(entityId, kept, before, problem);
    }
    kept.deleting = false;
    if (this.kept.get(entityId) === kept) this.save(entityId, kept);
  }

  private recover(entityId: string, kept: Draft, before: EntityRow | null, problem: unknown): void {
    const code = problem instanceof ServerError ? problem.code : '';
    const current = problem instanceof ServerError ? problem.extensions['current'] as Partial<EntityRow> | undefined : undefined;
    if (code === 'NOT_FOUND' && before) {
      this.kept.delete(entityId);
      this.events.hide(entityId);
      if (kept.wanted) this.events.gone(entityId);
    } else if (code === 'CONFLICT' && before && current?.data && kept.wanted) {
      const newest = kept.base && kept.base.version > current.version! ? kept.base : { ...before, version: current.version!, data: current.data };
      kept.base = before;
      this.rebase(kept, newest);
      this.show(kept);
    } else {
      this.giveUp(entityId, kept, problem);
    }
  }

  /** Shows what the server has. The attempts can be tried again. */
  private giveUp(entityId: string, kept: Draft, problem: unknown): void {
    const attempts = kept.attempts;
    Object.assign(kept, { attempts: [], changes: {}, preview: {}, wanted: kept.base });
    if (kept.base) this.events.show(kept.base);
    else this.events.hide(entityId);
    this.events.refused(entityId, attempts, problem);
  }
}

function keep(base: EntityRow | null, wanted: EntityRow | null): Draft {
  return { base, wanted, changes: {}, preview: {}, attempts: [], saving: false, undecided: false, deleting: false, deletions: 0 };
}

/** Reports whether an event is older than the known state. */
function isOutdated(kept: Draft, entity: EntityRow): boolean {
  if (!kept.base) return kept.deletions > 0;
  // An entity that was deleted and restored starts again at version 1.
  return kept.deletions > 0 ? entity.version !== kept.base.version : entity.version < kept.base.version;
}

/** Returns the entity with changes of its data; null where it is not wanted. */
function shown(kept: Draft, changes: Data): EntityRow | null {
  const entity = kept.wanted && (kept.base ?? kept.wanted);
  return entity && { ...entity, data: merge(entity.data, changes) };
}
