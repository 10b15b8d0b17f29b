// A box around what is selected, and marks for things that have no picture.

import { Color, Vec3 } from 'playcanvas';
import type { Entity } from 'playcanvas';
import { sceneBounds } from '../scene/bounds.ts';
import type { Stage } from '../scene/stage.ts';
import { markerRadius } from './pick.ts';

const chosen = new Color(1, 0.75, 0.1);
const mark = new Color(0.55, 0.75, 1);

/** Pairs of corners of a box, by their bits for x, y and z. */
const edges = [0, 1, 0, 2, 0, 4, 1, 3, 1, 5, 2, 3, 2, 6, 3, 7, 4, 5, 4, 6, 5, 7, 6, 7];

export class Outline {
  private readonly stage: Stage;
  private node: Entity | null = null;
  private marks: readonly Vec3[] = [];

  constructor(stage: Stage) {
    this.stage = stage;
    stage.app.on('prerender', this.draw, this);
  }

  show(node: Entity | null, marks: ReadonlyMap<string, Vec3>): void {
    this.node = node;
    this.marks = [...marks.values()];
    this.stage.invalidate();
  }

  private draw(): void {
    const box = this.node && sceneBounds([this.node]);
    if (box)
      this.drawLines(
        edges.map((corner) => this.corner(box.center, box.halfExtents, corner)),
        chosen,
      );
    for (const place of this.marks) this.drawLines(this.octahedron(place), mark);
  }

  private drawLines(points: Vec3[], colour: Color): void {
    this.stage.app.drawLines(
      points,
      points.map(() => colour),
      false,
    );
  }

  private corner(centre: Vec3, half: Vec3, bits: number): Vec3 {
    const side = (bit: number): number => ((bits & bit) === 0 ? -1 : 1);
    return new Vec3(centre.x + half.x * side(1), centre.y + half.y * side(2), centre.z + half.z * side(4));
  }

  private octahedron(place: Vec3): Vec3[] {
    const tips = [Vec3.LEFT, Vec3.RIGHT, Vec3.UP, Vec3.DOWN, Vec3.FORWARD, Vec3.BACK].map((way) =>
      place.clone().add(way.clone().mulScalar(markerRadius)),
    );
    return tips.flatMap((from, i) =>
      tips
        .slice(i + 1)
        .filter((_, j) => j > 0 || i % 2 === 1)
        .flatMap((to) => [from, to]),
    );
  }

  destroy(): void {
    this.stage.app.off('prerender', this.draw, this);
    this.stage.invalidate();
  }
}
