// Saves the owner's changes. The scene shows a change immediately; for each entity one request
// at a time makes the server equal to it. What others change meanwhile is merged by field, and
// where both changed a field, the owner decides.
//
// For each entity there is a draft with three states: base is what the server has, changes is what
// the owner has done and the server has not confirmed, and preview is what the owner is doing now.
// The scene shows base with both merged over it. The response of the server and its event about the
// same change may arrive in either order; isOlder compares them.

import { roomId } from '../room.ts';
import { ServerError } from '../server/graphql.ts';
import { isOlder } from '../server/space.ts';
import type { Data, EntityRow } from '../server/space.ts';
import { difference, isEmpty, merge, overlap, wholeFields } from './fields.ts';
import type { Attempt } from './history.ts';

/** The mutations. create and update return the entity as the server then has it. */
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
  /** A conflict started or ended. */
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
  /** A deletion was sent, and its response has not come yet. */
  deleting: boolean;
  /** Confirmed deletions whose events have not arrived; -1 while an event waits for its response. */
  pendingDeletionEvents: number;
}

/** A conflict, both sides as the entity would be. */
export interface Conflict {
  mine: EntityRow;
  theirs: EntityRow;
}

export class Saver {
  private readonly drafts = new Map<string, Draft>();
  private readonly server: EntityServer;
  private readonly events: SaverEvents;

  constructor(entities: readonly EntityRow[], server: EntityServer, events: SaverEvents) {
    this.server = server;
    this.events = events;
    for (const entity of entities) this.drafts.set(entity.entityId, newDraft(entity, entity));
  }

  /** Returns the entity as the owner wants it; null where there is none. */
  entity(entityId: string): EntityRow | null {
    const draft = this.drafts.get(entityId);
    return draft ? shownEntity(draft, draft.changes) : null;
  }

  conflict(entityId: string): Conflict | null {
    const draft = this.drafts.get(entityId);
    const mine = draft?.undecided ? this.entity(entityId) : null;
    return mine && draft?.base ? { mine, theirs: draft.base } : null;
  }

  /** This includes a conflict that the owner has not decided yet. */
  get unsaved(): boolean {
    return [...this.drafts.values()].some((draft) => draft.saving || draft.undecided || draft.attempts.length > 0);
  }

  /** Stores a change that is not to be saved yet, and returns what to show. An empty change discards it. */
  preview(entityId: string, change: Data): EntityRow | null {
    const draft = this.drafts.get(entityId);
    if (!draft) return null;
    draft.preview = change;
    return shownEntity(draft, merge(draft.changes, change));
  }

  change(entityId: string, change: Data, attempt: Attempt): void {
    const draft = this.drafts.get(entityId);
    if (!draft?.wanted) return;
    draft.preview = {};
    draft.changes = merge(draft.changes, change);
    draft.attempts.push(attempt);
    this.show(draft);
    this.save(entityId, draft);
  }

  create(entity: EntityRow, attempt: Attempt): void {
    const draft = this.drafts.get(entity.entityId) ?? newDraft(null, null);
    this.drafts.set(entity.entityId, draft);
    draft.wanted = { ...entity, version: 0, createdAt: '' };
    draft.changes = draft.base ? difference(draft.base.data, entity.data) : {};
    draft.attempts.push(attempt);
    this.show(draft);
    this.save(entity.entityId, draft);
  }

  delete(entityId: string, attempt: Attempt): void {
    const draft = this.drafts.get(entityId);
    if (!draft) return;
    Object.assign(draft, { wanted: null, changes: {}, preview: {}, undecided: false });
    draft.attempts.push(attempt);
    this.events.hide(entityId);
    this.save(entityId, draft);
  }

  /** Ends a conflict: the owner's values replace the others, or are discarded. */
  decide(entityId: string, mine: boolean): void {
    const draft = this.drafts.get(entityId);
    if (!draft?.undecided) return;
    draft.undecided = false;
    if (!mine) this.giveUp(entityId, draft, null);
    this.events.conflict(entityId);
    if (mine) this.save(entityId, draft);
  }

  /** Records an entity from the server, and returns what to show; null for nothing. */
  receive(entity: EntityRow): EntityRow | null {
    const draft = this.drafts.get(entity.entityId);
    if (!draft || (!draft.wanted && !draft.saving && draft.pendingDeletionEvents === 0)) {
      this.drafts.set(entity.entityId, newDraft(entity, entity));
      return entity;
    }
    if (draft.wanted && !isOutdated(draft, entity)) {
      if (draft.base) draft.pendingDeletionEvents = 0;
      this.rebase(draft, entity);
    }
    return shownEntity(draft, merge(draft.changes, draft.preview));
  }

  /** Records that the server has deleted an entity, and reports whether to hide it. */
  receiveDeletion(entityId: string): boolean {
    const draft = this.drafts.get(entityId);
    if (!draft) return true;
    if (draft.deleting || draft.pendingDeletionEvents > 0) {
      draft.pendingDeletionEvents--; // the response to the deletion may follow, and adds one
      return !draft.wanted;
    }
    if (draft.saving && !draft.base) return false;
    this.drafts.delete(entityId);
    if (draft.wanted) this.events.gone(entityId);
    return true;
  }

  /** Records all entities from the server, and returns what to show. */
  receiveAll(entities: readonly EntityRow[]): EntityRow[] {
    const ids = new Set(entities.map((entity) => entity.entityId));
    for (const draft of this.drafts.values()) if (!draft.saving) draft.pendingDeletionEvents = 0;
    for (const entity of entities) this.receive(entity);
    for (const [id, draft] of [...this.drafts]) if (draft.base && !ids.has(id) && id !== roomId) this.receiveDeletion(id);
    return [...this.drafts].flatMap(([id, draft]) =>
      id === roomId ? [] : (shownEntity(draft, merge(draft.changes, draft.preview)) ?? []),
    );
  }

  /** Makes another state of the server the base. A field that both sides have changed is a conflict. */
  private rebase(draft: Draft, entity: EntityRow): void {
    const before = draft.base;
    draft.base = entity;
    if (!before || draft.saving || draft.undecided) return;
    const mine = merge(draft.changes, draft.preview);
    const theirs = difference(before.data, overlap(entity.data, mine));
    if (isEmpty(difference(theirs, overlap(mine, theirs)))) return;
    draft.undecided = true;
    this.events.conflict(entity.entityId);
  }

  private show(draft: Draft): void {
    const entity = shownEntity(draft, merge(draft.changes, draft.preview));
    if (entity) this.events.show(entity);
  }

  /** Sends the next request, unless one is on its way or the owner must decide first. */
  private save(entityId: string, draft: Draft): void {
    if (draft.saving || draft.undecided) return;
    const request = this.request(entityId, draft, draft.base ? difference(draft.base.data, draft.changes) : {});
    if (!request) {
      draft.attempts = [];
      draft.changes = {};
      this.events.busy(this.unsaved);
      return;
    }
    draft.saving = true;
    this.events.busy(true);
    void this.run(entityId, draft, request);
  }

  /** Returns the request that makes the server equal to what is wanted; null for none. */
  private request(entityId: string, draft: Draft, change: Data): (() => Promise<EntityRow | null>) | null {
    const { base, wanted } = draft;
    if (!wanted) return base && (() => this.server.delete(entityId).then(() => null));
    if (!base) {
      const entity = { ...wanted, data: merge(wanted.data, draft.changes) };
      return () => this.server.create(entity);
    }
    return isEmpty(change) ? null : () => this.server.update(entityId, wholeFields(base.data, change), base.version);
  }

  private async run(entityId: string, draft: Draft, request: () => Promise<EntityRow | null>): Promise<void> {
    const { base: before, changes: sent } = draft;
    draft.deleting = !draft.wanted;
    const attempts = draft.attempts.splice(0);
    const isCurrent = (): boolean => this.drafts.get(entityId) === draft;
    try {
      const stored = await request();
      draft.saving = false;
      if (isCurrent()) this.accept(draft, sent, stored);
    } catch (problem) {
      draft.saving = false;
      if (draft.deleting && draft.pendingDeletionEvents < 0) {
        // The event has come, so the entity is deleted, and only the response was lost.
        if (isCurrent()) this.accept(draft, sent, null);
      } else {
        draft.attempts.unshift(...attempts);
        if (isCurrent()) this.recover(entityId, draft, before, problem);
      }
    }
    draft.deleting = false;
    // Where somebody else has deleted the entity, there is nothing left to save.
    if (isCurrent()) this.save(entityId, draft);
    else this.events.busy(this.unsaved);
  }

  /** Makes the entity that a request returned the base; null means that it is deleted. */
  private accept(draft: Draft, sent: Data, stored: EntityRow | null): void {
    if (draft.deleting) draft.pendingDeletionEvents++;
    const newest = draft.base;
    draft.base = stored;
    if (draft.wanted && stored) draft.wanted = stored;
    draft.changes = difference(sent, draft.changes);
    // The event of somebody else's newer change may have come before this response.
    if (newest && stored && isOlder(stored, newest)) this.rebase(draft, newest);
    this.show(draft);
  }

  /**
   * Handles the refusal of a request: NOT_FOUND means that somebody else has deleted the entity,
   * CONFLICT that it has another version, which becomes the base. After any other problem the scene
   * shows what the server has.
   */
  private recover(entityId: string, draft: Draft, before: EntityRow | null, problem: unknown): void {
    const code = problem instanceof ServerError ? problem.code : '';
    const current = problem instanceof ServerError ? (problem.extensions['current'] as Partial<EntityRow> | undefined) : undefined;
    if (code === 'NOT_FOUND' && before) {
      this.drafts.delete(entityId);
      this.events.hide(entityId);
      if (draft.wanted) this.events.gone(entityId);
    } else if (code === 'CONFLICT' && before && current?.data && draft.wanted) {
      const stored = { ...before, ...current };
      const newest = draft.base && isOlder(stored, draft.base) ? draft.base : stored;
      draft.base = before;
      this.rebase(draft, newest);
      this.show(draft);
    } else {
      this.giveUp(entityId, draft, problem);
    }
  }

  /** Shows what the server has. The attempts can be tried again. */
  private giveUp(entityId: string, draft: Draft, problem: unknown): void {
    const attempts = draft.attempts;
    Object.assign(draft, { attempts: [], changes: {}, preview: {}, wanted: draft.base });
    if (draft.base) this.events.show(draft.base);
    else this.events.hide(entityId);
    this.events.refused(entityId, attempts, problem);
  }
}

function newDraft(base: EntityRow | null, wanted: EntityRow | null): Draft {
  return {
    base,
    wanted,
    changes: {},
    preview: {},
    attempts: [],
    saving: false,
    undecided: false,
    deleting: false,
    pendingDeletionEvents: 0,
  };
}

/** Reports whether an event is older than the known state. */
function isOutdated(draft: Draft, entity: EntityRow): boolean {
  return draft.base ? isOlder(entity, draft.base) : draft.pendingDeletionEvents > 0;
}

/** Returns the entity with changes of its data; null where it is not wanted. */
function shownEntity(draft: Draft, changes: Data): EntityRow | null {
  const entity = draft.wanted && (draft.base ?? draft.wanted);
  return entity && { ...entity, data: merge(entity.data, changes) };
}
