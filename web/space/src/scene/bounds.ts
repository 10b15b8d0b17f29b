// The box around what is in the scene.

import { BoundingBox, Vec3 } from 'playcanvas';
import type { Entity, GSplatComponent, RenderComponent } from 'playcanvas';

/** Returns the box around what these nodes show, in the space; null where they show nothing. */
export function sceneBounds(nodes: readonly Entity[]): BoundingBox | null {
  const boxes = nodes.flatMap((node) => [...meshBoxes(node), ...splatBoxes(node)]);
  const [first, ...others] = boxes;
  if (!first) return null;
  const all = first.clone();
  for (const box of others) all.add(box);
  return all;
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

/** Returns where to stand to see a whole box, and its centre. */
export function overlook(box: BoundingBox, fieldOfView: number, aspect: number): { eye: Vec3; target: Vec3 } {
  const radius = Math.max(0.1, box.halfExtents.length());
  const half = (Math.min(fieldOfView, fieldOfView * aspect) * Math.PI) / 360;
  const direction = new Vec3(0.35, 0.35, 1).normalize();
  return { eye: box.center.clone().add(direction.mulScalar(radius / Math.sin(half))), target: box.center.clone() };
}
