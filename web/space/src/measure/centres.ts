// The middles of the Gaussians around a place, which lie on the surface that they show.

import { Mat4, Vec3 } from 'playcanvas';
import type { Entity } from 'playcanvas';
import type { Triple } from '../server/space.ts';

/** What a surface needs of them, and the most that are worth looking at. */
const [enough, most] = [12, 48];
/** Radii to look within, in metres. */
const radii = [0.1, 0.2, 0.4];

/** What the engine keeps for its sorting. A streamed capture has one of these for each file that is loaded. */
interface Splats {
  centers?: Float32Array | null;
  octree?: { fileResources: ReadonlyMap<number, Splats>; files: readonly { lodLevel: number }[] } | null;
}

/** Returns middles of Gaussians of these captures near a place, of the finest level that has some there. */
export function centresNear(captures: readonly Entity[], place: Triple): { points: Triple[]; radius: number } {
  for (const radius of radii) {
    const points = captures.flatMap((node) => centresOf(node, place, radius));
    if (points.length < enough) continue;
    const distance = (point: Triple): number => Math.hypot(...point.map((value, axis) => value - place[axis]!));
    return { points: points.sort((a, b) => distance(a) - distance(b)).slice(0, most), radius };
  }
  return { points: [], radius: 0 };
}

function centresOf(node: Entity, place: Triple, radius: number): Triple[] {
  const resource = node.gsplat?.resource as Splats | null | undefined;
  if (!resource) return [];
  const { octree } = resource;
  if (!octree) return within(node, [resource], place, radius);
  const levels = new Map<number, Splats[]>();
  for (const [file, splats] of octree.fileResources) {
    const level = octree.files[file]?.lodLevel ?? 0;
    levels.set(level, [...(levels.get(level) ?? []), splats]);
  }
  for (const [, splats] of [...levels].sort(([a], [b]) => a - b)) {
    const points = within(node, splats, place, radius);
    if (points.length >= enough) return points;
  }
  return [];
}

/** Returns up to about this many middles of Gaussians of a capture that are loaded, in the space. */
export function sampleCentres(node: Entity, count: number): Vec3[] {
  const resource = node.gsplat?.resource as Splats | null | undefined;
  const parts = resource?.octree ? [...resource.octree.fileResources.values()] : resource ? [resource] : [];
  const loaded = parts.flatMap(({ centers }) => (centers ? [centers] : []));
  const step = Math.max(1, Math.ceil(loaded.reduce((sum, centers) => sum + centers.length / 3, 0) / count));
  const toSpace = node.getWorldTransform();
  return loaded.flatMap((centers) =>
    Array.from({ length: Math.ceil(centers.length / 3 / step) }, (_, i) => {
      const at = 3 * i * step;
      return toSpace.transformPoint(new Vec3(centers[at]!, centers[at + 1]!, centers[at + 2]!));
    }),
  );
}

function within(node: Entity, resources: readonly Splats[], place: Triple, radius: number): Triple[] {
  const toSpace = node.getWorldTransform();
  const local = new Mat4()
    .copy(toSpace)
    .invert()
    .transformPoint(new Vec3(...place));
  // The box around the ball in the coordinates of the capture, which may be scaled by axis.
  const { x: sx, y: sy, z: sz } = toSpace.getScale();
  const reach = radius / Math.max(1e-9, Math.min(sx, sy, sz));
  const points: Triple[] = [];
  for (const { centers } of resources) {
    if (!centers) continue;
    for (let i = 0; i < centers.length; i += 3) {
      const [x, y, z] = [centers[i]!, centers[i + 1]!, centers[i + 2]!];
      if (Math.abs(x - local.x) > reach || Math.abs(y - local.y) > reach || Math.abs(z - local.z) > reach) continue;
      const point = toSpace.transformPoint(new Vec3(x, y, z));
      if (Math.hypot(point.x - place[0], point.y - place[1], point.z - place[2]) <= radius) points.push([point.x, point.y, point.z]);
    }
  }
  return points;
}
