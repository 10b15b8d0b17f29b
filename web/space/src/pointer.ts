// What a click in the view hits, and the cursor over what can be clicked.

import type { Vec3 } from 'playcanvas';
import type { Editor } from './edit/editor.ts';
import type { Controls } from './move/controls.ts';
import type { Solid } from './move/solid.ts';
import { castRay } from './move/walker.ts';
import type { Stage } from './scene/stage.ts';
import { distanceTo } from './scene/thing.ts';
import type { Target } from './scene/thing.ts';

/** The maximum distance of what a click activates, in metres. */
const reach = 60;

/** What is drawn over everything counts as nearer by this than the rest, in metres. */
const onTop = 1e6;

/** What a pointer needs of a visit. The functions return what the scene contains at the moment. */
export interface Clickable {
  stage: Stage;
  controls: Controls;
  canvas: HTMLCanvasElement;
  solids(): readonly Solid[];
  targets(): readonly Target[];
  /** What takes every click while it is active, before the editor. */
  tool(): { active: boolean; click(x: number, y: number): Promise<void> } | null;
  /** The editor takes every click while it is active. */
  editor(): Editor | null;
}

/** What a ray meets. */
export interface Hit {
  /** In metres; null where it meets nothing near enough. */
  distance: number | null;
  /** The nearest target that is seen; null for none. */
  target: Target | null;
  /** The place where one can stand; null for none. */
  floor: [number, number, number] | null;
}

export class Pointer {
  private readonly visit: Clickable;

  constructor(visit: Clickable) {
    this.visit = visit;
  }

  /** Activates the target at a place of the canvas, in CSS pixels, or walks to the floor there. */
  click(x: number, y: number): void {
    const { stage, controls } = this.visit;
    const tool = this.visit.tool();
    if (tool?.active) {
      void tool.click(x, y);
      return;
    }
    const editor = this.visit.editor();
    if (editor?.active) {
      void editor.click(x, y);
      return;
    }
    const { from, direction } = stage.ray(x, y);
    const { target, floor } = this.hit(from, direction, reach);
    if (target) target.activate();
    else if (floor && controls.current.mode === 'walk') controls.walkTo(floor[0], floor[2]);
  }

  /** Returns what a ray meets within a distance in metres. */
  hit(from: Vec3, direction: Vec3, limit: number): Hit {
    const solid = castRay(this.visit.solids(), [from.x, from.y, from.z], [direction.x, direction.y, direction.z], limit);
    const target = this.nearest(from, direction, solid?.distance ?? Infinity);
    const distance = target ? distanceTo(target, from, direction) : (solid?.distance ?? null);
    return { distance, target, floor: solid?.floor ? solid.point : null };
  }

  /** Shows the cursor of a link over a target. */
  hover(event: PointerEvent): void {
    if (event.pointerType !== 'mouse' || event.buttons !== 0 || this.visit.editor()?.active) return;
    const { from, direction } = this.visit.stage.ray(event.offsetX, event.offsetY);
    // No ray through the solids for each movement: the cursor also shows targets behind walls.
    this.visit.canvas.classList.toggle('target', this.nearest(from, direction, Infinity) !== null);
  }

  /** Returns the nearest target on a ray, unless something solid hides it; a frame may stand against a wall. */
  private nearest(from: Vec3, direction: Vec3, limit: number): Target | null {
    let best: Target | null = null;
    let shortest = limit + 0.1;
    for (const target of this.visit.targets()) {
      const distance = distanceTo(target, from, direction) - (target.isOnTop ? onTop : 0);
      if (distance < shortest) [best, shortest] = [target, distance];
    }
    return best;
  }
}
