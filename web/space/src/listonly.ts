// A space as a list, for browsers that cannot draw it.

import { kindOf } from './entity.ts';
import type { Messages } from './i18n.ts';
import { GateNavigation } from './gatenavigation.ts';
import type { EntityRow, Space } from './server/space.ts';
import { Contents } from './ui/contents.ts';
import type { Overlay } from './ui/overlay.ts';

/** What shows the entities of a space: the scene, or the list without a scene. */
export interface Follower {
  put(entity: EntityRow): void;
  remove(entityId: string): void;
  replace(entities: readonly EntityRow[]): void;
}

export class ListOnly implements Follower {
  private readonly entities = new Map<string, EntityRow>();
  private readonly contents: Contents;

  constructor(scene: HTMLElement, overlay: Overlay, messages: Messages, space: Space) {
    const navigation = new GateNavigation(scene, messages, space.space);
    this.contents = new Contents(overlay.contents, messages, {
      visit: () => {},
      spaceAddress: (spaceId) => navigation.address(spaceId),
    });
    this.replace(space.entities);
  }

  put(entity: EntityRow): void {
    this.entities.set(entity.entityId, entity);
    this.show();
  }

  remove(entityId: string): void {
    this.entities.delete(entityId);
    this.show();
  }

  replace(entities: readonly EntityRow[]): void {
    this.entities.clear();
    for (const entity of entities) this.entities.set(entity.entityId, entity);
    this.show();
  }

  private show(): void {
    this.contents.show(
      [...this.entities.values()].map((entity) => ({ entity, kind: kindOf(entity), state: 'invisible', reason: null, thing: null })),
    );
  }
}
