// The rotation that stands a capture upright.

import { Quat, Vec3 } from 'playcanvas';
import { placementOf } from './entity.ts';
import type { EntityRow, Triple } from './server/space.ts';

/** Returns the rotation of an entity after the shortest turn that brings a direction of the space to y, and where places in it are then. */
export function turnUpright(
  entity: EntityRow,
  up: Vec3,
): { rotation: { x: number; y: number; z: number }; move: (place: Triple) => Triple } {
  const turn = new Quat().setFromDirections(up, Vec3.UP);
  const origin = new Vec3(...placementOf(entity.data).position);
  const rotation = turn.clone().mul(new Quat().setFromEulerAngles(...placementOf(entity.data).rotation));
  const { x, y, z } = rotation.getEulerAngles();
  const round = (value: number): number => Math.round(value * 1e4) / 1e4 + 0; // 0 instead of -0
  const move = (place: Triple): Triple => {
    const moved = turn.transformVector(new Vec3(...place).sub(origin)).add(origin);
    return [round(moved.x), round(moved.y), round(moved.z)];
  };
  return { rotation: { x: round(x), y: round(y), z: round(z) }, move };
}
