// The lines, points and labels of measurements over the view.

import { Vec3 } from 'playcanvas';
import type { Stage } from '../scene/stage.ts';
import type { Triple } from '../server/space.ts';
import type { Measurement } from './geometry.ts';

const namespace = 'http://www.w3.org/2000/svg';

export interface LabelledMeasurement extends Measurement {
  label: string;
}

export class Lines {
  readonly element = document.createElementNS(namespace, 'svg');
  private readonly stage: Stage;
  private measurements: readonly LabelledMeasurement[] = [];
  private shown = '';

  constructor(stage: Stage) {
    this.stage = stage;
    this.element.setAttribute('class', 'measure-lines');
    this.element.setAttribute('aria-hidden', 'true'); // the panel says the same as text
    stage.app.on('update', this.update, this);
  }

  show(measurements: readonly LabelledMeasurement[]): void {
    this.measurements = measurements;
    this.shown = '';
  }

  /** Returns where a place is in the view, in CSS pixels; null behind the eye. */
  project([x, y, z]: Triple): { x: number; y: number } | null {
    const { camera } = this.stage;
    const place = new Vec3(x, y, z);
    if (place.clone().sub(camera.getPosition()).dot(camera.forward) < 0.02) return null;
    return camera.camera!.worldToScreen(place);
  }

  private update(): void {
    const { camera, app } = this.stage;
    const { clientWidth, clientHeight } = app.graphicsDevice.canvas as HTMLCanvasElement;
    const isHidden = this.measurements.length === 0 || app.xr?.active === true;
    const state = isHidden ? 'hidden' : `${camera.getWorldTransform().data.join()} ${camera.camera!.fov} ${clientWidth} ${clientHeight}`;
    if (state === this.shown) return;
    this.shown = state;
    this.element.replaceChildren(...(isHidden ? [] : this.measurements.flatMap((one) => this.parts(one))));
  }

  private parts({ kind, points, label }: LabelledMeasurement): SVGElement[] {
    const [first, second] = points;
    const corners = kind === 'height' && first && second ? [first, [first[0], second[1], first[2]] as const, second] : points;
    const ring = kind === 'area' && points.length > 2 ? [...corners, points[0]!] : corners;
    const lines = ring.slice(1).flatMap((to, i) => this.line(ring[i]!, to));
    const dots = points.flatMap((point) => {
      const place = this.project(point);
      return place ? [make('circle', { cx: place.x, cy: place.y, r: 4 })] : [];
    });
    const middle = this.labelPlace(kind, points);
    if (!middle || !label) return [...lines, ...dots];
    const text = make('text', { x: middle.x, y: middle.y - 8 });
    text.textContent = label;
    return [...lines, ...dots, text];
  }

  private labelPlace(kind: Measurement['kind'], points: readonly Triple[]): { x: number; y: number } | null {
    const on = kind === 'angle' ? points.slice(1, 2) : kind === 'polyline' ? points.slice(-1) : points;
    if (on.length === 0) return null;
    return this.project([0, 1, 2].map((axis) => on.reduce((sum, point) => sum + point[axis]!, 0) / on.length) as unknown as Triple);
  }

  /** A line that runs behind the eye is cut off where it would. */
  private line(from: Triple, to: Triple): SVGElement[] {
    let [a, b] = [this.project(from), this.project(to)];
    if (!a && !b) return [];
    for (let share = 0.5, i = 0; (!a || !b) && i < 12; i++) {
      const place = this.project([0, 1, 2].map((axis) => from[axis]! + (to[axis]! - from[axis]!) * share) as unknown as Triple);
      if (place) [a, b] = [a ?? place, b ?? place];
      share = a ? share / 2 : (1 + share) / 2;
    }
    return a && b ? [make('line', { x1: a.x, y1: a.y, x2: b.x, y2: b.y })] : [];
  }

  destroy(): void {
    this.stage.app.off('update', this.update, this);
    this.element.remove();
  }
}

function make(name: string, attributes: Readonly<Record<string, number>>): SVGElement {
  const made = document.createElementNS(namespace, name) as SVGElement;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value.toFixed(1));
  return made;
}
