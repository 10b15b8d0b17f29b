// The rotation that stands a capture upright.

import { Quat, Vec3 } from 'playcanvas';
import { placementOf } from './entity.ts';
import type { EntityRow } from './server/space.ts';

/** Returns the rotation of an entity after the shortest turn that brings a direction of the space to y. */
export function uprightRotation(entity: EntityRow, up: Vec3): { x: number; y: number; z: number } {
  const turn = new Quat().setFromDirections(up, Vec3.UP);
  const rotation = turn.mul(new Quat().setFromEulerAngles(...placementOf(entity.data).rotation));
  const { x, y, z } = rotation.getEulerAngles();
  const round = (degrees: number): number => Math.round(degrees * 1000) / 1000 + 0; // 0 instead of -0
  return { x: round(x), y: round(y), z: round(z) };
}
