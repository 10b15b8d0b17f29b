// The border that visitors do not leave, as a line on the floor.

import { Color, Entity, Vec3 } from 'playcanvas';
import type { StandardMaterial } from 'playcanvas';
import { glowingMaterial } from '../scene/material.ts';
import type { Stage } from '../scene/stage.ts';
import type { Triple } from '../server/space.ts';

/** The width and the thickness of the line in metres, and how far it is above the floor, out of its Gaussians. */
const [width, thickness, lift] = [0.05, 0.02, 0.04];

export class BorderLine {
  private readonly stage: Stage;
  private readonly material: StandardMaterial = glowingMaterial(new Color(1, 0.62, 0.1), 0.9);
  private node: Entity | null = null;
  private shown = '';

  constructor(stage: Stage) {
    this.stage = stage;
  }

  /** Shows a line between these corners, and back to the first. */
  show(corners: readonly Triple[]): void {
    const summary = JSON.stringify(corners);
    if (summary === this.shown) return;
    this.shown = summary;
    this.node?.destroy();
    this.node = this.stage.node('border');
    for (const [i, corner] of corners.entries()) this.addEdge(corner, corners[(i + 1) % corners.length]!);
    this.stage.invalidate();
  }

  private addEdge(from: Triple, to: Triple): void {
    const [a, b] = [new Vec3(...from), new Vec3(...to)];
    const edge = new Entity('edge', this.stage.app);
    edge.addComponent('render', { type: 'box', material: this.material });
    this.node!.addChild(edge);
    edge.setPosition((a.x + b.x) / 2, (a.y + b.y) / 2 + lift, (a.z + b.z) / 2);
    edge.lookAt(b.x, b.y + lift, b.z);
    edge.setLocalScale(width, thickness, a.distance(b) + width);
  }

  destroy(): void {
    this.node?.destroy();
    this.material.destroy();
  }
}
