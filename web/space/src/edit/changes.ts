// The owner's changes: they are shown immediately, saved, undone and redone.

import { roomId } from '../room.ts';
import type { Data, EntityRow } from '../server/space.ts';
import type { EditContext } from './context.ts';
import { difference, isEmpty, merge, placementOfEntity, placementChange, currentValues } from './fields.ts';
import { History } from './history.ts';
import type { Attempt, Step } from './history.ts';
import { Saver } from './saver.ts';
import type { EntityServer } from './saver.ts';
import { newEntityId } from './server.ts';

export interface ChangeEvents {
  attempted(entityId: string): void;
  /** The server refused attempts; without a problem the owner has given them up. */
  refused(entityId: string, attempts: readonly Attempt[], problem: unknown): void;
  conflict(entityId: string): void;
  /** Somebody else has deleted the entity. */
  gone(entityId: string): void;
  busy(saving: boolean): void;
}

export class Changes {
  readonly saver: Saver;
  readonly history = new History();
  private readonly events: ChangeEvents;
  /** The change that is shown and not saved, and the entity that it belongs to. */
  private open: { entityId: string; change: Data } | null = null;

  constructor({ world, room, showRoom }: Pick<EditContext, 'world' | 'room' | 'showRoom'>, server: EntityServer, events: ChangeEvents) {
    this.events = events;
    this.saver = new Saver([room(), ...world.items.map((item) => item.entity)], server, {
      show: (entity) => (entity.entityId === roomId ? showRoom(entity) : world.put(entity)),
      hide: (entityId) => world.remove(entityId),
      refused: (entityId, attempts, problem) => {
        this.history.revert(attempts);
        if (this.open?.entityId === entityId) this.open = null;
        events.refused(entityId, attempts, problem);
      },
      conflict: (entityId) => events.conflict(entityId),
      gone: (entityId) => {
        this.history.forget(entityId);
        if (this.open?.entityId === entityId) this.open = null;
        events.gone(entityId);
      },
      busy: (saving) => events.busy(saving),
    });
  }

  /** Adds to the change of an entity that is to be committed later, and returns what to show; null for nothing. */
  preview(entityId: string, change: Data): EntityRow | null {
    const open = this.open?.entityId === entityId ? this.open.change : {};
    this.open = { entityId, change: merge(open, change) };
    return this.saver.preview(entityId, this.open.change);
  }

  /** Saves the change that is shown. */
  commit(): void {
    if (!this.open) return;
    const { entityId, change } = this.open;
    this.open = null;
    this.saver.preview(entityId, {});
    this.change(entityId, change);
  }

  change(entityId: string, change: Data): void {
    const entity = this.saver.entity(entityId);
    if (!entity || isEmpty(difference(entity.data, change))) return;
    this.apply({ kind: 'change', entityId, before: currentValues(entity, change), after: change });
  }

  /** Creates a copy of an entity, this far beside it. */
  duplicate(entity: EntityRow, beside: number): void {
    const [x, y, z] = placementOfEntity(entity).position;
    const data = merge(entity.data, placementChange(entity, 'position', [x + beside, y, z]));
    this.create({ ...entity, id: '', entityId: newEntityId('copy'), version: 0, data });
  }

  create(entity: EntityRow): void {
    this.apply({ kind: 'existence', entityId: entity.entityId, before: null, after: entity });
  }

  /** Places a new entity. That is no step of its own: to undo it is to take the entity away. */
  settle(entity: EntityRow, change: Data): void {
    this.history.amend(entity.entityId, change);
    const step: Step = { kind: 'change', entityId: entity.entityId, before: currentValues(entity, change), after: change };
    this.saver.change(entity.entityId, change, { step, direction: 'do' });
  }

  delete(entity: EntityRow): void {
    this.apply({ kind: 'existence', entityId: entity.entityId, before: entity, after: null });
  }

  undo(): void {
    const step = this.history.undo();
    if (step) this.attempt({ step, direction: 'undo' });
  }

  redo(): void {
    const step = this.history.redo();
    if (step) this.attempt({ step, direction: 'do' });
  }

  private apply(step: Step): void {
    this.history.add(step);
    this.attempt({ step, direction: 'do' });
  }

  private attempt(attempt: Attempt): void {
    const { step, direction } = attempt;
    if (step.kind === 'change') {
      this.saver.change(step.entityId, direction === 'do' ? step.after : step.before, attempt);
    } else {
      const entity = direction === 'do' ? step.after : step.before;
      if (entity) this.saver.create(entity, attempt);
      else this.saver.delete(step.entityId, attempt);
    }
    this.events.attempted(step.entityId);
  }
}
