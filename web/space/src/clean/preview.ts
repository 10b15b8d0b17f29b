// Shows on what is loaded of a capture what a clean-up leaves.

import { Color, Mat4, Vec3 } from 'playcanvas';
import type { Entity, GSplatComponent } from 'playcanvas';
import type { Stage } from '../scene/stage.ts';
import type { Crop } from './transform.ts';

/** Gaussians with less opacity make no voxel of the server solid by themselves, so they may be floaters. */
const faint = 0.1;
const shapes: readonly Crop['shape'][] = ['all', 'box', 'sphere'];
const line = new Color(1, 0.75, 0.1);
/** Pairs of corners of a box, by their bits for x, y and z. */
const edges = [0, 1, 0, 2, 0, 4, 1, 3, 1, 5, 2, 3, 2, 6, 3, 7, 4, 5, 4, 6, 5, 7, 6, 7];
const circle = 64;

/** In cleanShape: the shape, whether faint Gaussians go, and whether what goes is shown. The box has edges of 1. */
const glsl = `
uniform mat4 cleanToBox;
uniform vec3 cleanShape;
void modifySplatCenter(inout vec3 center) {}
void modifySplatRotationScale(vec3 originalCenter, vec3 modifiedCenter, inout vec4 rotation, inout vec3 scale) {}
void modifySplatColor(vec3 center, inout vec4 color) {
  vec3 place = (cleanToBox * vec4(center, 1.0)).xyz;
  bool goes = cleanShape.x > 1.5 ? length(place) > 0.5 : cleanShape.x > 0.5 && any(greaterThan(abs(place), vec3(0.5)));
  bool floats = cleanShape.y > 0.5 && color.a < ${faint.toFixed(2)};
  if (cleanShape.z < 0.5 && (goes || floats)) color.a = 0.0;
  else if (goes) color = vec4(mix(color.rgb, vec3(0.9, 0.05, 0.05), 0.7), color.a * 0.3);
  else if (floats) color = vec4(0.9, 0.05, 0.05, max(color.a, 0.4));
}`;

const wgsl = `
uniform cleanToBox: mat4x4f;
uniform cleanShape: vec3f;
fn modifySplatCenter(center: ptr<function, vec3f>) {}
fn modifySplatRotationScale(originalCenter: vec3f, modifiedCenter: vec3f, rotation: ptr<function, vec4f>, scale: ptr<function, vec3f>) {}
fn modifySplatColor(center: vec3f, color: ptr<function, vec4f>) {
  let place = (uniform.cleanToBox * vec4f(center, 1.0)).xyz;
  let outside = select(uniform.cleanShape.x > 0.5 && any(abs(place) > vec3f(0.5)), length(place) > 0.5, uniform.cleanShape.x > 1.5);
  let floats = uniform.cleanShape.y > 0.5 && (*color).a < ${faint.toFixed(2)};
  if (uniform.cleanShape.z < 0.5 && (outside || floats)) {
    (*color).a = 0.0;
  } else if (outside) {
    *color = vec4f(mix((*color).rgb, vec3f(0.9, 0.05, 0.05), 0.7), (*color).a * 0.3);
  } else if (floats) {
    *color = vec4f(0.9, 0.05, 0.05, max((*color).a, 0.4));
  }
}`;

export class Preview {
  private readonly stage: Stage;
  private readonly splats: GSplatComponent;
  private readonly frame: Entity;
  private shape: Crop['shape'] = 'all';

  /** The frame is a node with the place and the size of the box or the ball. */
  constructor(stage: Stage, splats: GSplatComponent, frame: Entity) {
    this.stage = stage;
    this.splats = splats;
    this.frame = frame;
    this.show('all', false, true);
    splats.setWorkBufferModifier({ glsl, wgsl });
    stage.app.on('prerender', this.draw, this);
  }

  show(shape: Crop['shape'], floaters: boolean, showGone: boolean): void {
    this.shape = shape;
    const toBox = new Mat4().copy(this.frame.getWorldTransform()).invert();
    this.splats.setParameter('cleanToBox', [...toBox.data]);
    this.splats.setParameter('cleanShape', [shapes.indexOf(shape), Number(floaters), Number(showGone)]);
    this.stage.invalidate();
  }

  private draw(): void {
    if (this.shape === 'all') return;
    const transform = this.frame.getWorldTransform();
    const points = this.shape === 'box' ? edges.map(corner) : ball();
    this.stage.app.drawLines(
      points.map((point) => transform.transformPoint(point)),
      points.map(() => line),
      false,
    );
  }

  destroy(): void {
    this.stage.app.off('prerender', this.draw, this);
    if (this.splats.entity?.gsplat !== this.splats) return; // the capture is gone
    this.splats.setWorkBufferModifier(null);
    this.splats.deleteParameter('cleanToBox');
    this.splats.deleteParameter('cleanShape');
    this.stage.invalidate();
  }
}

function corner(bits: number): Vec3 {
  return new Vec3((bits & 1) - 0.5, ((bits >> 1) & 1) - 0.5, ((bits >> 2) & 1) - 0.5);
}

/** Returns the lines of three circles around the middle. */
function ball(): Vec3[] {
  const at = (i: number): [number, number] => [0.5 * Math.cos((2 * Math.PI * i) / circle), 0.5 * Math.sin((2 * Math.PI * i) / circle)];
  return Array.from({ length: circle }, (_, i) =>
    [at(i), at(i + 1)].map(([a, b]) => [new Vec3(a, b, 0), new Vec3(a, 0, b), new Vec3(0, a, b)]),
  ).flatMap(([from, to]) => from!.flatMap((point, axis) => [point, to![axis]!]));
}
