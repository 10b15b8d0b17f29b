// Models in glTF, with their animations.

import { Color } from 'playcanvas';
import type { Asset, Entity, RenderComponent, StandardMaterial } from 'playcanvas';
import { contentAddress, fileName, placementOf } from '../entity.ts';
import type { EntityRow } from '../server/space.ts';
import { encloseInstances } from './instances.ts';
import { setPlacement } from './thing.ts';
import type { Surroundings, Thing } from './thing.ts';

interface Container {
  animations: Asset[];
  instantiateRenderEntity(): Entity;
}

export class Model implements Thing {
  readonly node: Entity;
  private readonly asset: Asset;
  private readonly surroundings: Surroundings;

  static async load(entity: EntityRow, surroundings: Surroundings): Promise<Model> {
    const address = contentAddress(entity);
    const asset = await surroundings.stage.load('container', address, fileName(address));
    return new Model(entity, asset, surroundings);
  }

  private constructor(entity: EntityRow, asset: Asset, surroundings: Surroundings) {
    this.asset = asset;
    this.surroundings = surroundings;
    this.node = surroundings.stage.node(entity.entityId);
    const container = asset.resource as unknown as Container;
    const model = container.instantiateRenderEntity();
    this.node.addChild(model);
    const renders = model.findComponents('render') as RenderComponent[];
    for (const mesh of renders.flatMap((render) => render.meshInstances ?? [])) {
      darkenUnlit(mesh.material as StandardMaterial);
      encloseInstances(mesh);
    }
    const animation = container.animations[0];
    if (animation && !surroundings.reducedMotion) this.animate(model, animation);
    this.place(entity);
  }

  private animate(model: Entity, animation: Asset): void {
    model.addComponent('anim', { activate: true });
    model.anim!.assignAnimation('animation', animation.resource as never);
    this.surroundings.stage.moving.add(this);
  }

  place(entity: EntityRow): void {
    setPlacement(this.node, placementOf(entity.data));
    this.surroundings.stage.invalidate();
  }

  destroy(): void {
    this.surroundings.stage.moving.delete(this);
    this.node.destroy();
    this.surroundings.stage.unload(this.asset);
    this.surroundings.stage.invalidate();
  }
}

/**
 * Makes a material without lighting show its own colour alone: the engine adds the ambient
 * light to what has a diffuse colour.
 */
function darkenUnlit(material: StandardMaterial): void {
  if (material.useLighting) return;
  material.diffuse = Color.BLACK;
  material.diffuseMap = null;
  material.update();
}
