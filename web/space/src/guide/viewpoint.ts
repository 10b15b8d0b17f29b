// Views of annotations and tours, as SuperSplat's settings and the entities have them: where the
// camera is, and what it looks at.

import { object, triple } from '../entity.ts';
import { lookAt } from '../move/controls.ts';
import type { Data, Triple } from '../server/space.ts';
import type { Mode, View } from '../view.ts';

export interface Viewpoint {
  position: Triple;
  target: Triple;
  /** The vertical field of view in degrees; null for the space's own. */
  fov: number | null;
}

const none: Triple = [NaN, NaN, NaN];

/** Reads a camera, or the initial one of SuperSplat's form; null where there is none. */
export function readViewpoint(data: Data, name: string): Viewpoint | null {
  const camera = object(data, name);
  const start = 'initial' in camera ? object(camera, 'initial') : camera;
  const [position, target] = [triple(start['position'], none), triple(start['target'], none)];
  if (Number.isNaN(position[0]) || Number.isNaN(target[0])) return null;
  if (position.every((value, axis) => Math.abs(value - target[axis]!) < 1e-6)) return null;
  const { fov } = start;
  return { position, target, fov: typeof fov === 'number' && fov >= 10 && fov <= 120 ? fov : null };
}

/** Returns the viewpoint of the view that a visitor has. */
export function viewpointOf({ eye, yaw, pitch, distance }: View): Viewpoint {
  const [x, y, z] = direction(yaw, pitch);
  const round = (value: number): number => Math.round(value * 1e4) / 1e4;
  const target: Triple = [round(eye[0] + x * distance), round(eye[1] + y * distance), round(eye[2] + z * distance)];
  return { position: [round(eye[0]), round(eye[1]), round(eye[2])], target, fov: null };
}

export function viewOf({ position, target }: Viewpoint, mode: Mode): View {
  const view = lookAt(mode, position, target);
  return { ...view, pitch: Math.max(-89, Math.min(89, view.pitch)) };
}

/** Returns the direction of angles in degrees. */
export function direction(yaw: number, pitch: number): [number, number, number] {
  const [a, b] = [(yaw * Math.PI) / 180, (pitch * Math.PI) / 180];
  return [-Math.sin(a) * Math.cos(b), Math.sin(b), -Math.cos(a) * Math.cos(b)];
}

/** Returns the rotation of a camera with these angles in degrees. */
export function rotationOf(yaw: number, pitch: number): [number, number, number, number] {
  const [a, b] = [(yaw * Math.PI) / 360, (pitch * Math.PI) / 360];
  return [Math.cos(a) * Math.sin(b), Math.sin(a) * Math.cos(b), -Math.sin(a) * Math.sin(b), Math.cos(a) * Math.cos(b)];
}
