// What the owner has done, so that it can be undone and redone. It knows no server:
// the caller applies the steps.

import type { Data, EntityRow } from '../server/space.ts';
import { merge } from './fields.ts';

/** A change of fields of an entity, or an entity that appears or disappears. */
export type Step =
  | { kind: 'change'; entityId: string; before: Data; after: Data }
  | { kind: 'existence'; entityId: string; before: EntityRow | null; after: EntityRow | null };

/** A step that is sent to the server: done, redone or undone. */
export interface Attempt {
  step: Step;
  direction: 'do' | 'undo';
}

const maxSteps = 200;

export class History {
  private done: Step[] = [];
  private undone: Step[] = [];

  get canUndo(): boolean {
    return this.done.length > 0;
  }

  get canRedo(): boolean {
    return this.undone.length > 0;
  }

  /** Adds a step that was done. What was undone before can no longer be redone. */
  add(step: Step): void {
    this.done.push(step);
    if (this.done.length > maxSteps) this.done.shift();
    this.undone = [];
  }

  /** Adds a change to what an entity is as soon as it is created. */
  amend(entityId: string, change: Data): void {
    const step = this.done.find((one) => one.kind === 'existence' && one.entityId === entityId && one.after);
    if (step?.kind === 'existence' && step.after) step.after = { ...step.after, data: merge(step.after.data, change) };
  }

  /** Returns the step to undo; null where there is none. */
  undo(): Step | null {
    return shift(this.done, this.undone);
  }

  /** Returns the step to redo; null where there is none. */
  redo(): Step | null {
    return shift(this.undone, this.done);
  }

  /** Takes back attempts that failed, so that the owner can try each again. */
  revert(attempts: readonly Attempt[]): void {
    for (const { step, direction } of [...attempts].reverse()) {
      const [from, to] = direction === 'do' ? [this.done, this.undone] : [this.undone, this.done];
      const index = from.lastIndexOf(step);
      if (index >= 0) to.push(...from.splice(index, 1));
    }
  }

  /** Forgets the steps of an entity that somebody else has deleted. */
  forget(entityId: string): void {
    this.done = this.done.filter((step) => step.entityId !== entityId);
    this.undone = this.undone.filter((step) => step.entityId !== entityId);
  }
}

function shift(from: Step[], to: Step[]): Step | null {
  const step = from.pop();
  if (step) to.push(step);
  return step ?? null;
}
