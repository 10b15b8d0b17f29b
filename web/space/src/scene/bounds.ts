// The box around what is in the scene.

import { BoundingBox, Vec3 } from 'playcanvas';
import type { Entity, GSplatComponent, RenderComponent } from 'playcanvas';

/** The share of the view around what it shows; the toolbar lies over its end. */
const margin = 1.15;

/** Returns the box around what these nodes show, in the space; null where they show nothing. */
export function sceneBounds(nodes: readonly Entity[]): BoundingBox | null {
  const boxes = nodes.flatMap((node) => [...meshBoxes(node), ...splatBoxes(node)]);
  const [first, ...others] = boxes;
  if (!first) return null;
  const all = first.clone();
  for (const box of others) all.add(box);
  return all;
}

/** The maximum distance between gates that one view shows together, in metres. */
const together = 8;

/**
 * Returns the nodes around the one that has the most others near it. A view of gates that are
 * far apart would show none of them.
 */
export function largestCluster(nodes: readonly Entity[]): readonly Entity[] {
  let most: readonly Entity[] = [];
  for (const node of nodes) {
    const near = nodes.filter((other) => other.getPosition().distance(node.getPosition()) <= together);
    if (near.length > most.length) most = near;
  }
  return most;
}

function meshBoxes(node: Entity): BoundingBox[] {
  const renders = node.findComponents('render') as RenderComponent[];
  return renders.flatMap((render) => render.meshInstances ?? []).map((mesh) => mesh.aabb);
}

function splatBoxes(node: Entity): BoundingBox[] {
  const splats = node.findComponents('gsplat') as GSplatComponent[];
  return splats.flatMap((component) => {
    const box = component.customAabb ?? (component.resource as { aabb?: BoundingBox } | null)?.aabb;
    if (!box) return [];
    const placed = new BoundingBox();
    placed.setFromTransformedAabb(box, component.entity.getWorldTransform());
    return [placed];
  });
}

/** Returns the nearest eye, in front and above, that sees the whole box, and the centre of the box. */
export function frameBox(box: BoundingBox, fieldOfView: number, aspect: number): { eye: Vec3; target: Vec3 } {
  const tangent = Math.tan((fieldOfView * Math.PI) / 360);
  const back = new Vec3(0.35, 0.35, 1).normalize();
  const right = new Vec3().cross(Vec3.UP, back).normalize();
  const up = new Vec3().cross(back, right);
  let distance = 0.1;
  for (let i = 0; i < 8; i++) {
    const corner = new Vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1).mul(box.halfExtents);
    const aside = Math.max(Math.abs(corner.dot(right)) / (tangent * aspect), Math.abs(corner.dot(up)) / tangent);
    distance = Math.max(distance, corner.dot(back) + aside * margin);
  }
  return { eye: box.center.clone().add(back.mulScalar(distance)), target: box.center.clone() };
}
