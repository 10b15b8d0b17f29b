// Captures of Gaussians, single and streamed.

import { Mat4 } from 'playcanvas';
import type { Asset, Entity } from 'playcanvas';
import { contentAddress, fileName, isYUp, placementOf } from '../entity.ts';
import type { EntityRow, Start } from '../server/space.ts';
import { loadVoxels } from '../move/voxels.ts';
import type { VoxelGrid } from '../move/voxels.ts';
import { setPlacement } from './thing.ts';
import type { Surroundings, Thing } from './thing.ts';

/**
 * Collision and start are in the coordinates of SuperSplat's viewer, which turns the data
 * half around z. Entities do that by their own rotation, unless their file is a glTF.
 */
const halfTurn = new Mat4().setFromEulerAngles(0, 0, 180);

export class Capture implements Thing {
  readonly node: Entity;
  voxels: VoxelGrid | null = null;
  start: Start | null = null;
  private yUp = false;
  private readonly asset: Asset;
  private readonly surroundings: Surroundings;

  static async load(entity: EntityRow, surroundings: Surroundings): Promise<Capture> {
    const address = contentAddress(entity);
    const asset = await surroundings.stage.load('gsplat', address, fileName(address));
    return new Capture(entity, asset, surroundings);
  }

  private constructor(entity: EntityRow, asset: Asset, surroundings: Surroundings) {
    this.asset = asset;
    this.surroundings = surroundings;
    this.node = surroundings.stage.node(entity.entityId);
    this.node.addComponent('gsplat', { asset, unified: true });
    this.place(entity);
    surroundings.stage.streamCoarsestFirst(this.node.gsplat!);
  }

  place(entity: EntityRow): void {
    setPlacement(this.node, placementOf(entity.data));
    this.start = entity.file?.start ?? null;
    this.yUp = isYUp(entity);
    this.voxels?.place(this.ground());
    this.surroundings.stage.invalidate();
  }

  /** Loads what visitors walk on and bump into. */
  async loadCollision(address: string): Promise<void> {
    this.voxels = await loadVoxels(address);
    this.voxels.place(this.ground());
  }

  /** Returns the transform from the coordinates of collision and start to the space. */
  ground(): Mat4 {
    const world = this.node.getWorldTransform();
    return this.yUp ? world.clone() : new Mat4().mul2(world, halfTurn);
  }

  destroy(): void {
    this.surroundings.stage.endStreaming(this.node.gsplat!);
    this.node.destroy();
    this.surroundings.stage.unload(this.asset);
    this.surroundings.stage.invalidate();
  }
}
