// The room of a hub: a floor, walls, a ceiling, and the places of the seven static gates.

import { Entity } from 'playcanvas';
import type { StandardMaterial } from 'playcanvas';
import { Boxes } from '../move/solid.ts';
import type { Box } from '../move/solid.ts';
import type { Placement } from '../entity.ts';
import { staticGateIndex } from '../staticgates.ts';
import { Room } from './room.ts';
import type { Post } from './room.ts';
import type { Stage } from './stage.ts';

const halfWidth = 9;
const height = 5;
const thickness = 0.3;

/**
 * Two gates on the left, three ahead, two on the right, as seen from the entrance, in the order of
 * their index: x, z and the angle around y.
 */
const inset = halfWidth - 0.4;
const posts: readonly Post[] = [
  [-inset, 3.5, 90],
  [-inset, -3, 90],
  [-5, -inset, 0],
  [0, -inset, 0],
  [5, -inset, 0],
  [inset, -3, -90],
  [inset, 3.5, -90],
];

/** Returns the position of a static gate; null for other entities. */
export function postOf(entityId: string): Placement | null {
  const post = posts[staticGateIndex(entityId)];
  if (!post) return null;
  return { position: [post[0], 0, post[1]], rotation: [0, post[2], 0], scale: [1, 1, 1] };
}

/** Where visitors of a hub start: at the open side, with the gates in view. */
export const hubStart = { eye: [0, 1.6, 6.5], target: [0, 1.6, 0] } as const;

const floor: Box = { min: [-halfWidth, -thickness, -halfWidth], max: [halfWidth, 0, halfWidth] };
const walls: readonly Box[] = [
  { min: [-halfWidth - thickness, 0, -halfWidth], max: [-halfWidth, height, halfWidth] },
  { min: [halfWidth, 0, -halfWidth], max: [halfWidth + thickness, height, halfWidth] },
  { min: [-halfWidth, 0, -halfWidth - thickness], max: [halfWidth, height, -halfWidth] },
  { min: [-halfWidth, 0, halfWidth], max: [halfWidth, height, halfWidth + thickness] },
];
const ceiling: Box = { min: [-halfWidth, height, -halfWidth], max: [halfWidth, height + thickness, halfWidth] };

export class Hub {
  readonly solid = new Boxes([floor, ...walls, ceiling]);
  private readonly room: Room;

  constructor(stage: Stage) {
    this.room = new Room(stage, { halfWidth, height }, posts);
  }

  destroy(): void {
    this.room.destroy();
  }
}

export function boxNode(stage: Stage, box: Box, material: StandardMaterial): Entity {
  const node = new Entity('box', stage.app);
  node.addComponent('render', { type: 'box', material });
  const [x, y, z] = [0, 1, 2].map((axis) => (box.min[axis]! + box.max[axis]!) / 2);
  node.setLocalPosition(x!, y!, z!);
  node.setLocalScale(box.max[0] - box.min[0], box.max[1] - box.min[1], box.max[2] - box.min[2]);
  return node;
}
