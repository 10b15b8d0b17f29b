// The markers of annotations: buttons over the view, which nothing in the space hides.

import { Vec3 } from 'playcanvas';
import { castRay } from '../move/walker.ts';
import type { Solid } from '../move/solid.ts';
import type { Stage } from '../scene/stage.ts';
import { button, element } from '../ui/elements.ts';

export interface Mark {
  id: string;
  place: Vec3;
  label: string;
}

/** Half of the width of a marker, in pixels. */
const radius = 22;

/** The time between two looks for what is before a marker, in milliseconds. */
const pause = 120;

export class Marks {
  readonly element = element('div', { class: 'marks' });
  private readonly stage: Stage;
  private readonly solids: () => readonly Solid[];
  private readonly press: (id: string) => void;
  private readonly controls: () => readonly HTMLElement[];
  private marks: { mark: Mark; button: HTMLButtonElement }[] = [];
  private summary = '';
  private shown = '';
  private next = 0;
  private looked = 0;

  constructor(stage: Stage, solids: () => readonly Solid[], press: (id: string) => void, controls: () => readonly HTMLElement[]) {
    this.controls = controls;
    this.stage = stage;
    this.solids = solids;
    this.press = press;
    stage.app.on('update', this.update, this);
  }

  show(marks: readonly Mark[], selected: string | null): void {
    const summary = JSON.stringify(marks.map(({ id, label }) => [id, label]));
    if (summary === this.summary) {
      for (const [i, mark] of marks.entries()) this.marks[i]!.mark = mark;
    } else {
      this.summary = summary;
      this.marks = marks.map((mark, i) => ({
        mark,
        button: button(String(i + 1), () => this.press(mark.id), {
          'aria-label': mark.label,
          title: mark.label,
          'data-annotation': mark.id,
        }),
      }));
      this.element.replaceChildren(...this.marks.map((one) => one.button));
    }
    for (const one of this.marks) one.button.setAttribute('aria-pressed', String(one.mark.id === selected));
    this.shown = '';
  }

  focus(id: string): void {
    this.marks.find(({ mark }) => mark.id === id)?.button.focus({ preventScroll: true });
  }

  private update(): void {
    if (this.marks.length === 0) return;
    const { camera } = this.stage;
    const { clientWidth, clientHeight } = this.stage.app.graphicsDevice.canvas as HTMLCanvasElement;
    const covers = this.controls().map(({ offsetLeft: x, offsetTop: y, offsetWidth: width, offsetHeight: height }) => ({
      x,
      y,
      width,
      height,
    }));
    const state = `${JSON.stringify(covers)} ${camera.getWorldTransform().data.join()} ${camera.camera!.fov} ${clientWidth} ${clientHeight}`;
    this.lookAtOne();
    if (state === this.shown) return;
    this.shown = state;
    const [eye, ahead] = [camera.getPosition(), camera.forward];
    for (const { mark, button: one } of this.marks) {
      const way = mark.place.clone().sub(eye);
      const point = camera.camera!.worldToScreen(mark.place);
      const isInView =
        way.dot(ahead) > 0.01 &&
        point.x > 0 &&
        point.y > 0 &&
        point.x < clientWidth &&
        point.y < clientHeight &&
        !covers.some((box) => isBelow(box, point));
      // What has the focus keeps it.
      one.style.visibility = isInView || one === document.activeElement ? 'visible' : 'hidden';
      if (!isInView) continue;
      one.style.transform = `translate(${point.x.toFixed(1)}px, ${point.y.toFixed(1)}px) translate(-50%, -50%)`;
      one.style.zIndex = String(Math.max(0, 1000 - Math.round(way.length() * 10)));
    }
  }

  /** Dims one marker after the other if something solid is before it. */
  private lookAtOne(): void {
    const now = performance.now();
    if (now - this.looked < pause) return;
    this.looked = now;
    const { mark, button: one } = this.marks[this.next++ % this.marks.length]!;
    const eye = this.stage.camera.getPosition();
    const way = mark.place.clone().sub(eye);
    const distance = way.length();
    way.normalize();
    const isHidden =
      one.style.visibility !== 'hidden' &&
      castRay(this.solids(), [eye.x, eye.y, eye.z], [way.x, way.y, way.z], Math.min(40, distance - 0.25)) !== null;
    one.classList.toggle('behind', isHidden);
  }

  destroy(): void {
    this.stage.app.off('update', this.update, this);
    this.element.remove();
  }
}

/** Reports whether a control covers the marker at a point, even in part. */
function isBelow(box: { x: number; y: number; width: number; height: number }, point: Vec3): boolean {
  const isBeside = point.x < box.x - radius || point.x > box.x + box.width + radius;
  return !isBeside && point.y > box.y - radius && point.y < box.y + box.height + radius;
}
