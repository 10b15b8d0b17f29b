// The camera as the visitor moves it: walking, flying, or turning around a point.

import { Vec3 } from 'playcanvas';
import type { Stage } from '../scene/stage.ts';
import { keepInside, movementOf } from '../room.ts';
import type { Movement, OrbitLimits } from '../room.ts';
import type { Triple } from '../server/space.ts';
import type { Mode, View } from '../view.ts';
import type { Input, Intent } from './input.ts';
import type { Solid } from './solid.ts';
import { Walker } from './walker.ts';

const walkingSpeed = 2.8;
const flyingSpeed = 3.5;
const fastFactor = 2.5;
/** The maximum distance while orbiting, in metres: wheels multiply it, so a few turns would lead out of sight of everything. */
const farthest = 1e5;
/** A walk to a tapped place stops when the visitor gets no nearer for this time, in seconds. */
const stuckTimeout = 0.6;

interface Goal {
  x: number;
  z: number;
  nearest: number;
  waited: number;
}

export class Controls {
  onMode: (mode: Mode) => void = () => {};
  /** Whether keys, mouse, touch and gamepads move the view. During a session with a headset they do not. */
  enabled = true;
  private readonly stage: Stage;
  private readonly input: Input;
  private readonly walker: Walker;
  private view: View = { mode: 'orbit', eye: [0, 1.6, 5], yaw: 0, pitch: 0, distance: 5 };
  private goal: Goal | null = null;
  private limits: Movement = movementOf({});
  /** Whether the limits of the space do not hold, as for an owner who edits. */
  private isFree = false;
  /** The factor of the speed of flying: a view of something large moves faster. */
  private speed = 1;
  /** The minimum distance while orbiting, in metres: less where the view is of something tiny. */
  private nearest = 0.1;

  constructor(stage: Stage, input: Input, solids: () => readonly Solid[]) {
    this.stage = stage;
    this.input = input;
    this.walker = new Walker(solids);
    stage.app.on('update', (seconds: number) => this.update(seconds));
  }

  get current(): View {
    return { ...this.view, eye: [...this.view.eye] };
  }

  /** The height of the eye of walkers, in metres. */
  get eyeHeight(): number {
    return this.walker.eyeHeight;
  }

  /** The corners of the area that is not left; none for everywhere. */
  get border(): readonly Triple[] {
    return this.walker.border;
  }

  /** Sets how visitors may move. */
  limit(limits: Movement, isFree: boolean): void {
    if (isFree === this.isFree && JSON.stringify(limits) === JSON.stringify(this.limits)) return;
    [this.limits, this.isFree] = [limits, isFree];
    this.walker.eyeHeight = limits.eyeHeight;
    this.walker.border = isFree ? [] : limits.border;
    if (!isFree) this.show(this.view);
  }

  /** Shows a view without an animation, or the nearest one that is within the limits. */
  show(view: View): void {
    this.view = { ...view, eye: [...view.eye] };
    this.keepWithin();
    this.goal = null;
    this.speed = view.mode === 'walk' ? 1 : Math.max(1e-4, Math.min(1e4, view.distance / 5));
    this.nearest = Math.min(0.1, view.distance / 10);
    if (view.mode === 'walk') {
      this.walker.stand(view.eye);
      this.view.eye = this.walker.eye;
    }
    this.apply();
    this.onMode(view.mode);
  }

  setMode(mode: Mode): void {
    this.show({ ...this.view, mode });
  }

  /** Walks to a place, until something is in the way. */
  walkTo(x: number, z: number): void {
    this.goal = { x, z, nearest: Infinity, waited: 0 };
  }

  /** Moves back a little, such as from a gate that the visitor did not go through. */
  stepBack(metres: number): void {
    const [x, z] = this.forward();
    this.show({ ...this.view, eye: [this.view.eye[0] - x * metres, this.view.eye[1], this.view.eye[2] - z * metres] });
  }

  private update(seconds: number): void {
    const intent = this.input.read(seconds);
    if (!this.enabled) return;
    const { yaw, pitch, distance } = this.view;
    const before = [...this.view.eye];
    // The point that orbiting turns around must be known before the view turns.
    const centre = this.centre();
    this.view.yaw = ((yaw + intent.turn + 540) % 360) - 180;
    this.view.pitch = Math.max(-89, Math.min(89, pitch + intent.tilt));
    if (this.view.mode === 'walk') this.walk(seconds, intent);
    else if (this.view.mode === 'fly') this.fly(seconds, intent);
    else this.orbit(seconds, intent, centre);
    if (this.view.mode === 'fly') this.keepWithin();
    const moved = this.view.eye.some((value, axis) => Math.abs(value - before[axis]!) > 1e-6);
    if (moved || yaw !== this.view.yaw || pitch !== this.view.pitch || distance !== this.view.distance) this.apply();
  }

  private walk(seconds: number, intent: Intent): void {
    const [fx, fz] = this.forward();
    // A wheel has nothing to zoom here and steps forward instead.
    const forward = intent.forward + (intent.zoom === 1 ? 0 : Math.sign(1 - intent.zoom) * 2);
    let x = fx * forward - fz * intent.right;
    let z = fz * forward + fx * intent.right;
    if (x !== 0 || z !== 0) this.goal = null;
    else if (this.goal) [x, z] = this.towards(this.goal, seconds);
    const length = Math.max(1, Math.hypot(x, z));
    const speed = (walkingSpeed * this.limits.speed * (intent.fast ? fastFactor : 1)) / length;
    this.walker.move(seconds, { x: x * speed, z: z * speed, jump: intent.jump });
    this.view.eye = this.walker.eye;
  }

  private towards(goal: Goal, seconds: number): [number, number] {
    const [x, z] = [goal.x - this.view.eye[0], goal.z - this.view.eye[2]];
    const distance = Math.hypot(x, z);
    goal.waited = distance < goal.nearest - 0.01 ? 0 : goal.waited + seconds;
    goal.nearest = Math.min(goal.nearest, distance);
    if (distance < 0.1 || goal.waited > stuckTimeout) this.goal = null;
    return distance < 0.1 ? [0, 0] : [x / distance, z / distance];
  }

  private fly(seconds: number, intent: Intent): void {
    const ahead = this.direction();
    const [fx, fz] = this.forward();
    const forward = intent.forward + (intent.zoom === 1 ? 0 : (1 - intent.zoom) * 10);
    const metres = flyingSpeed * this.limits.speed * this.speed * seconds * (intent.fast ? fastFactor : 1);
    this.view.eye[0] += (ahead.x * forward - fz * intent.right) * metres;
    this.view.eye[1] += (ahead.y * forward + intent.up) * metres;
    this.view.eye[2] += (ahead.z * forward + fx * intent.right) * metres;
  }

  private orbit(seconds: number, intent: Intent, centre: Vec3): void {
    // Keys move the centre with the eye; forward gets nearer.
    const [fx, fz] = this.forward();
    const metres = flyingSpeed * this.limits.speed * this.speed * seconds * (intent.fast ? fastFactor : 1);
    const distance = this.view.distance * intent.zoom * Math.exp(-intent.forward * seconds);
    this.view.distance = Math.max(this.nearest, Math.min(farthest, distance));
    const orbit = this.orbitLimits;
    if (orbit) this.keepOrbit(orbit);
    // With limits the object stays in the middle.
    else centre.add(new Vec3(-fz * intent.right, intent.up, fx * intent.right).mulScalar(metres));
    const eye = centre.sub(this.direction().mulScalar(this.view.distance));
    this.view.eye = [eye.x, eye.y, eye.z];
  }

  private get orbitLimits(): OrbitLimits | null {
    return this.isFree ? null : this.limits.orbit;
  }

  /** Moves a view that is outside of the limits to the nearest one within them. */
  private keepWithin(): void {
    const { view, orbitLimits: orbit } = this;
    if (view.mode === 'orbit' && orbit) {
      const centre = this.centre();
      this.keepOrbit(orbit);
      const eye = centre.sub(this.direction().mulScalar(view.distance));
      view.eye = [eye.x, eye.y, eye.z];
    } else if (view.mode === 'fly' && !this.isFree) {
      [view.eye[0], view.eye[2]] = keepInside(this.limits.border, view.eye[0], view.eye[2]);
    }
  }

  private keepOrbit({ nearest, farthest, lowest, highest }: OrbitLimits): void {
    this.view.distance = Math.max(nearest, Math.min(farthest, this.view.distance));
    // The eye is above what it looks down at.
    this.view.pitch = Math.max(-highest, Math.min(-lowest, this.view.pitch));
  }

  /** Returns the point that orbiting turns around. */
  private centre(): Vec3 {
    return new Vec3(...this.view.eye).add(this.direction().mulScalar(this.view.distance));
  }

  private direction(): Vec3 {
    const pitch = (this.view.pitch * Math.PI) / 180;
    const [x, z] = this.forward();
    return new Vec3(x * Math.cos(pitch), Math.sin(pitch), z * Math.cos(pitch));
  }

  /** Returns x and z of the direction of view, level. */
  private forward(): [number, number] {
    const yaw = (this.view.yaw * Math.PI) / 180;
    return [-Math.sin(yaw), -Math.cos(yaw)];
  }

  private apply(): void {
    this.stage.reach(this.view.distance);
    this.stage.camera.setPosition(...this.view.eye);
    this.stage.camera.setEulerAngles(this.view.pitch, this.view.yaw, 0);
    this.stage.invalidate();
  }
}

/** Returns the view from one place to another. */
export function lookAt(mode: Mode, eye: readonly number[], target: readonly number[]): View {
  const [x, y, z] = [0, 1, 2].map((axis) => target[axis]! - eye[axis]!) as [number, number, number];
  const level = Math.hypot(x, z);
  return {
    mode,
    eye: [eye[0]!, eye[1]!, eye[2]!],
    yaw: (Math.atan2(-x, -z) * 180) / Math.PI,
    pitch: (Math.atan2(y, level) * 180) / Math.PI,
    distance: Math.max(1e-4, Math.hypot(level, y)),
  };
}
