// An entity and its state in the scene.

import type { Kind, Reason } from '../entity.ts';
import type { EntityRow } from '../server/space.ts';
import type { Thing } from './thing.ts';

/** The state of an entity. preparing: the server still converts its file. off: its plugin does not run for this visitor. invisible: it has nothing to show. */
export type State = 'loading' | 'shown' | 'preparing' | 'failed' | 'off' | 'invisible';

export interface Item {
  entity: EntityRow;
  readonly kind: Kind;
  state: State;
  /** Why it cannot be shown, if it has failed. */
  reason: Reason | null;
  thing: Thing | null;
}
