// The ground below a thing.

import { Vec3 } from 'playcanvas';
import type { Entity, Mat4, MeshInstance, RenderComponent } from 'playcanvas';
import type { Solid } from '../move/solid.ts';
import { castRay } from '../move/walker.ts';
import { sceneBounds } from '../scene/bounds.ts';
import { placesOf } from '../scene/instances.ts';

const reach = 200;

/** What a thing can stand on. */
export interface Ground {
  solids: readonly Solid[];
  nodes: readonly Entity[];
}

/**
 * Returns how far the node must rise, or sink if negative, to stand on the ground: on the highest
 * surface below its middle, else at height 0.
 */
export function wayToGround(node: Entity, ground: Ground): number {
  const box = sceneBounds([node]);
  const middle = box ? box.center.clone() : node.getPosition().clone();
  const bottom = box ? middle.y - box.halfExtents.y : middle.y;
  // What is a little below the ground rises to it.
  const from = new Vec3(middle.x, Math.max(middle.y, bottom + 0.3), middle.z);
  const solid = castRay(ground.solids, [from.x, from.y, from.z], [0, -1, 0], reach);
  const meshes = ground.nodes.flatMap((one) =>
    (one.findComponents('render') as RenderComponent[]).flatMap((render) => render.meshInstances ?? []),
  );
  const height = Math.max(solid ? topOf(ground.solids, solid.point) : -Infinity, heightBelow(meshes, from) ?? -Infinity);
  return (height === -Infinity ? 0 : height) - bottom;
}

/** Returns the height of the surface of the solid that a ray has entered. */
function topOf(solids: readonly Solid[], [x, y, z]: readonly [number, number, number]): number {
  let top = -Infinity;
  const region = { min: [x - 0.01, y - 0.01, z - 0.01], max: [x + 0.01, y + 0.01, z + 0.01] } as const;
  for (const solid of solids) {
    solid.visitBoxes({ min: [...region.min], max: [...region.max] }, (box) => {
      top = Math.max(top, box.max[1]);
    });
  }
  return top;
}

/** Returns the height of the highest triangle of these meshes on a vertical line, not above a height; null for none. */
function heightBelow(meshes: readonly MeshInstance[], place: Vec3): number | null {
  let highest = -Infinity;
  for (const mesh of meshes) {
    const { center, halfExtents } = mesh.aabb;
    const beside = Math.abs(place.x - center.x) > halfExtents.x || Math.abs(place.z - center.z) > halfExtents.z;
    if (beside || center.y - halfExtents.y > place.y) continue;
    highest = Math.max(highest, heightOn(mesh, place));
  }
  return highest === -Infinity ? null : highest;
}

function heightOn(instance: MeshInstance, place: Vec3): number {
  const { mesh, node } = instance;
  if (!mesh) return -Infinity;
  const positions: number[] = [];
  const indices: number[] = [];
  mesh.getPositions(positions);
  mesh.getIndices(indices);
  const count = indices.length > 0 ? indices.length : positions.length / 3;
  const corner = (i: number): number => 3 * (indices.length > 0 ? indices[i]! : i);
  let highest = -Infinity;
  for (const transform of placesOf(instance)) {
    const corners = worldCorners(positions, transform.mul2(node.getWorldTransform(), transform));
    for (let i = 0; i + 2 < count; i += 3) {
      const height = heightInTriangle(corners, [corner(i), corner(i + 1), corner(i + 2)], place.x, place.z);
      if (height !== null && height <= place.y) highest = Math.max(highest, height);
    }
  }
  return highest;
}

function worldCorners(positions: readonly number[], transform: Mat4): Float64Array {
  const corners = new Float64Array(positions.length);
  const corner = new Vec3();
  for (let i = 0; i < positions.length; i += 3) {
    transform.transformPoint(corner.set(positions[i]!, positions[i + 1]!, positions[i + 2]!), corner);
    corners.set([corner.x, corner.y, corner.z], i);
  }
  return corners;
}

/** Returns the height of a triangle at x and z; null where it is not there. */
function heightInTriangle(corners: Float64Array, [a, b, c]: [number, number, number], x: number, z: number): number | null {
  const [ax, az, bx, bz, cx, cz] = [corners[a]!, corners[a + 2]!, corners[b]!, corners[b + 2]!, corners[c]!, corners[c + 2]!];
  const area = (bx - ax) * (cz - az) - (cx - ax) * (bz - az);
  if (Math.abs(area) < 1e-12) return null; // it stands upright
  const v = ((x - ax) * (cz - az) - (cx - ax) * (z - az)) / area;
  const w = ((bx - ax) * (z - az) - (x - ax) * (bz - az)) / area;
  if (v < 0 || w < 0 || v + w > 1) return null;
  return corners[a + 1]! * (1 - v - w) + corners[b + 1]! * v + corners[c + 1]! * w;
}
