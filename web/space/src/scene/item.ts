// An entity and what became of it in the scene.

import type { Kind } from '../entity.ts';
import type { EntityRow } from '../server/space.ts';
import type { Thing } from './thing.ts';

/** What became of an entity: preparing means that the server still converts its file; off, that its plugin does not run for this visitor. */
export type State = 'loading' | 'shown' | 'preparing' | 'failed' | 'off' | 'unseen';

export interface Item {
  entity: EntityRow;
  readonly kind: Kind;
  state: State;
  thing: Thing | null;
}
