// The beam of a controller, and the mark on the floor where its trigger leads.

import { BLEND_NORMAL, Color, Entity, LAYERID_UI, StandardMaterial } from 'playcanvas';
import type { Vec3 } from 'playcanvas';
import type { Stage } from '../scene/stage.ts';

/** The length of a beam that meets nothing, in metres. */
const freeLength = 3;
const thickness = 0.004;
const markWidth = 0.5;

export class Beam {
  private readonly stage: Stage;
  private readonly beam: Entity;
  private readonly mark: Entity;
  private readonly material = new StandardMaterial();

  constructor(stage: Stage) {
    this.stage = stage;
    const { material } = this;
    material.useLighting = false;
    material.diffuse = Color.BLACK;
    material.emissive = new Color(0.45, 0.75, 1);
    material.opacity = 0.7;
    material.blendType = BLEND_NORMAL;
    material.update();
    this.beam = this.build('box');
    this.mark = this.build('cylinder');
    this.mark.setLocalScale(markWidth, 0.01, markWidth);
  }

  private build(type: 'box' | 'cylinder'): Entity {
    const node = this.stage.node('pointer');
    node.addComponent('render', { type, material: this.material, castShadows: false, layers: [LAYERID_UI] });
    // It is seen before the panel of an annotation.
    for (const mesh of node.render!.meshInstances) mesh.drawOrder = 3;
    node.enabled = false;
    return node;
  }

  /** Shows a beam to what it meets, and the mark where that is a floor. */
  show(from: Vec3, direction: Vec3, distance: number | null, floor: readonly [number, number, number] | null): void {
    const length = distance ?? freeLength;
    const end = from.clone().add(direction.clone().mulScalar(length));
    this.beam.setPosition(from.clone().add(end).mulScalar(0.5));
    this.beam.lookAt(end);
    this.beam.setLocalScale(thickness, thickness, length);
    this.beam.enabled = true;
    this.mark.enabled = floor !== null;
    if (floor) this.mark.setPosition(floor[0], floor[1] + 0.01, floor[2]);
  }

  destroy(): void {
    this.beam.destroy();
    this.mark.destroy();
    this.material.destroy();
  }
}
