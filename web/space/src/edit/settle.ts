// Where new things stand: with their base on the ground, and beside each other.

import { Vec3 } from 'playcanvas';
import type { BoundingBox, Entity } from 'playcanvas';
import { sceneBounds } from '../scene/bounds.ts';

/** Files that were added together. */
export interface Batch {
  /** The direction in which they stand beside each other. */
  along: Vec3;
  /** The nodes that stand already. */
  standing: Entity[];
}

/** The distance between things that stand beside each other, in metres, and the maximum number of steps aside. */
const gap = 0.25;
const maxSteps = 400;

/** Returns the direction to the right of a camera, on the ground. */
export function rightOf(camera: Entity): Vec3 {
  const { x, z } = camera.right;
  return Math.hypot(x, z) > 1e-6 ? new Vec3(x, 0, z).normalize() : new Vec3(1, 0, 0);
}

/**
 * Returns the way of a thing from its origin on the ground to where its base is on the ground, and
 * nothing of its batch is in its way; null where it shows nothing.
 */
export function wayToStand(node: Entity, batch: Batch): Vec3 | null {
  const box = sceneBounds([node]);
  if (!box) return null;
  const way = new Vec3(0, node.getPosition().y - (box.center.y - box.halfExtents.y), 0);
  const others = batch.standing.flatMap((one) => sceneBounds([one]) ?? []);
  const step = batch.along.clone().mulScalar(gap);
  for (let i = 0; i < maxSteps && others.some((other) => overlap(box, way, other)); i++) way.add(step);
  return way;
}

/** Reports whether a box that is moved is, seen from above, nearer to another than the gap. */
function overlap(box: BoundingBox, way: Vec3, other: BoundingBox): boolean {
  const near = (axis: 'x' | 'z'): boolean =>
    Math.abs(box.center[axis] + way[axis] - other.center[axis]) < box.halfExtents[axis] + other.halfExtents[axis] + gap;
  return near('x') && near('z');
}
