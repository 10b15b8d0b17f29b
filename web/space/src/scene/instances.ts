// Meshes that a model repeats (EXT_mesh_gpu_instancing).

import { BoundingBox, Mat4 } from 'playcanvas';
import type { MeshInstance } from 'playcanvas';

/** Returns the places, relative to its node, at which a mesh is drawn: one, unless the model repeats it. */
export function placesOf(mesh: MeshInstance): Mat4[] {
  const buffer = mesh.instancingData?.vertexBuffer;
  if (!buffer) return [new Mat4()];
  const values = new Float32Array(buffer.lock() as ArrayBuffer);
  return Array.from({ length: buffer.numVertices }, (_, i) => new Mat4().set([...values.subarray(16 * i, 16 * i + 16)]));
}

/**
 * Gives a repeated mesh the box around all of its places. The engine has the box of the mesh
 * itself, which may be kilometres large: places also undo a quantization of the mesh.
 */
export function encloseInstances(instance: MeshInstance): void {
  const { mesh } = instance;
  if (!mesh || !instance.instancingData) return;
  let all: BoundingBox | null = null;
  for (const place of placesOf(instance)) {
    const box = new BoundingBox();
    box.setFromTransformedAabb(mesh.aabb, place);
    if (all) all.add(box);
    else all = box;
  }
  instance.setCustomAabb(all);
}
