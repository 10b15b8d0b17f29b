// What a plugin shows at its entity.

import { Color, Entity, StandardMaterial } from 'playcanvas';
import { Picture, drawLabel } from '../scene/picture.ts';
import type { Stage } from '../scene/stage.ts';
import type { Target } from '../scene/thing.ts';
import type { Shape } from './message.ts';

/** Turns of a square that a ray to a solid shape meets from any side. */
const sides: readonly (readonly [number, number, number])[] = [
  [0, 0, 0],
  [0, 90, 0],
  [90, 0, 0],
];

export class Shapes {
  targets: readonly Target[] = [];
  private readonly stage: Stage;
  private readonly parent: Entity;
  private readonly click: (index: number) => void;
  private built: { destroy(): void }[] = [];

  constructor(stage: Stage, parent: Entity, click: (index: number) => void) {
    this.stage = stage;
    this.parent = parent;
    this.click = click;
  }

  /** Shows these shapes and no others. */
  show(shapes: readonly Shape[]): void {
    this.clear();
    this.targets = shapes.flatMap((shape, index) => this.build(shape, index));
    this.stage.invalidate();
  }

  clear(): void {
    for (const one of this.built) one.destroy();
    this.built = [];
    this.targets = [];
  }

  private build(shape: Shape, index: number): Target[] {
    const node = new Entity('shape', this.stage.app);
    node.setLocalPosition(...shape.position);
    node.setLocalEulerAngles(...shape.rotation);
    node.setLocalScale(...shape.scale);
    this.parent.addChild(node);
    this.built.push(node);
    const activate = (): void => this.click(index);
    if (shape.kind === 'text') {
      const label = new Picture(this.stage, drawLabel(shape.text));
      const height = 160 / 1024;
      label.resize(1, height);
      node.addChild(label.node);
      this.built.unshift(label);
      return [{ node, width: 1, height, activate }];
    }
    const material = new StandardMaterial();
    material.diffuse = new Color(...shape.colour);
    material.update();
    this.built.push(material);
    node.addComponent('render', { type: shape.kind, material });
    return sides.map((angles) => {
      const side = new Entity('side', this.stage.app);
      side.setLocalEulerAngles(...angles);
      node.addChild(side);
      return { node: side, width: 1, height: 1, activate };
    });
  }
}
