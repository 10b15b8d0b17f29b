// Which entity, and which place, is under a point of the view.

import { Picker, Vec3 } from 'playcanvas';
import type { GSplatComponent, GraphNode, MeshInstance } from 'playcanvas';
import { castRay } from '../move/walker.ts';
import type { Solid } from '../move/solid.ts';
import type { Stage } from '../scene/stage.ts';
import type { World } from '../scene/world.ts';

/** Things without a picture, such as sounds, react within this distance in metres. */
export const markerRadius = 0.3;
const reach = 200;
/** How far ahead a place is where a ray meets nothing. */
const ahead = 4;

export class Pick {
  private readonly stage: Stage;
  private readonly world: World;
  private readonly picker: Picker;

  constructor(stage: Stage, world: World) {
    this.stage = stage;
    this.world = world;
    this.picker = new Picker(stage.app, 1, 1);
    // Splats of all captures are drawn together; ids say which is whose.
    stage.app.scene.gsplat.enableIds = true;
    stage.invalidate();
  }

  /** Returns the id of the entity that is seen at a point, in CSS pixels; null for none. */
  async entityAt(x: number, y: number, markers: ReadonlyMap<string, Vec3>): Promise<string | null> {
    const { app, camera } = this.stage;
    const canvas = app.graphicsDevice.canvas as HTMLCanvasElement;
    this.picker.resize(canvas.clientWidth, canvas.clientHeight);
    this.picker.prepare(camera.camera!, app.scene, [app.scene.layers.getLayerByName('World')!]);
    for (const seen of await this.picker.getSelectionAsync(x, y, 1, 1)) {
      const id = this.owner(seen);
      if (id !== null) return id;
    }
    return this.markerAt(x, y, markers);
  }

  private owner(seen: MeshInstance | GSplatComponent): string | null {
    const ids = new Map<GraphNode, string>();
    for (const { thing, entity } of this.world.items) if (thing) ids.set(thing.node, entity.entityId);
    let node: GraphNode | null = 'node' in seen ? seen.node : seen.entity;
    while (node && !ids.has(node)) node = node.parent;
    return node ? ids.get(node)! : null;
  }

  private markerAt(x: number, y: number, markers: ReadonlyMap<string, Vec3>): string | null {
    const { from, direction } = this.stage.ray(x, y);
    let [best, shortest]: [string | null, number] = [null, Infinity];
    for (const [id, place] of markers) {
      const way = place.clone().sub(from);
      const along = way.dot(direction);
      const aside = way.sub(direction.clone().mulScalar(along)).length();
      if (along > 0 && along < shortest && aside <= markerRadius) [best, shortest] = [id, along];
    }
    return best;
  }

  /** Returns the place that a point of the view leads to: something solid, else the ground, else a place ahead. */
  placeAt(x: number, y: number, solids: readonly Solid[]): Vec3 {
    const { from, direction } = this.stage.ray(x, y);
    const hit = castRay(solids, [from.x, from.y, from.z], [direction.x, direction.y, direction.z], reach);
    if (hit) return new Vec3(...hit.point);
    const ground = -from.y / direction.y;
    const distance = ground > 0 && ground < reach / 4 ? ground : ahead;
    return from.add(direction.mulScalar(distance));
  }

  /** Returns the surface that is seen at a point: of what is drawn, else as placeAt. */
  async surfaceAt(x: number, y: number, solids: readonly Solid[]): Promise<Vec3> {
    const { app, camera } = this.stage;
    const canvas = app.graphicsDevice.canvas as HTMLCanvasElement;
    const picker = new Picker(app, canvas.clientWidth, canvas.clientHeight, true);
    picker.prepare(camera.camera!, app.scene, [app.scene.layers.getLayerByName('World')!]);
    const point = await picker.getWorldPointAsync(x, y).catch(() => null);
    picker.destroy();
    return point ?? this.placeAt(x, y, solids);
  }

  destroy(): void {
    this.stage.app.scene.gsplat.enableIds = false;
    this.picker.destroy();
    this.stage.invalidate();
  }
}
