// A session with a headset: WebXR moves the eyes, and controllers move the ground below them.

import { XRSPACE_LOCALFLOOR, XRTYPE_AR, XRTYPE_VR, XrManager } from 'playcanvas';
import type { Entity, Vec3, XrInputSource } from 'playcanvas';
import type { Solid } from '../move/solid.ts';
import { Walker, castRay } from '../move/walker.ts';
import type { Hit } from '../pointer.ts';
import { eyeHeight, keepInside } from '../room.ts';
import type { Stage } from '../scene/stage.ts';
import type { Triple } from '../server/space.ts';
import type { Mode } from '../view.ts';
import { Beam } from './beam.ts';
import type { Comfort } from './comfort.ts';
import { realities } from './detect.ts';
import type { Reality } from './detect.ts';

const types = { vr: XRTYPE_VR, ar: XRTYPE_AR } as const;
/** Metres per second: slower than with a keyboard, for people who do not move themselves. */
const speed = 2;
/** Degrees of one step of a turn, and degrees per second of a smooth one. */
const turnStep = 30;
const turnSpeed = 60;
/** How far a stick moves before it turns, and how far back before it can turn again. */
const turnThreshold = 0.7;
const releaseThreshold = 0.3;
/** Sticks do not rest exactly in the middle. */
const slack = 0.15;
/** How far below a view its floor may be, in metres. */
const drop = 60;
/** The button that ends a session: B or Y of a controller with the standard mapping. */
const exitButton = 5;

/** How a session starts, and where it may go. */
export interface SessionStart {
  mode: Mode;
  /** The height of the eye above the floor before the session, in metres. */
  eyeHeight: number;
  border: readonly Triple[];
}

export interface SessionEvents {
  /** What the browser has a headset for, now and whenever that changes. */
  offered(realities: readonly Reality[]): void;
  /** A session has started, or stopped with null. */
  changed(reality: Reality | null): void;
  /** Returns what a ray meets. */
  hit(from: Vec3, direction: Vec3): Hit;
}

export class Session {
  private readonly stage: Stage;
  private readonly events: SessionEvents;
  private readonly solids: () => readonly Solid[];
  private readonly comfort: Comfort;
  private readonly walker: Walker;
  private readonly xr: XrManager;
  private readonly beams = new Map<XrInputSource, Beam>();
  private begin: SessionStart = { mode: 'fly', eyeHeight, border: [] };
  private turned = false;

  constructor(stage: Stage, solids: () => readonly Solid[], comfort: Comfort, events: SessionEvents) {
    this.stage = stage;
    this.solids = solids;
    this.comfort = comfort;
    this.events = events;
    this.walker = new Walker(solids);
    this.xr = stage.app.xr = new XrManager(stage.app);
    this.xr.on('available', () => events.offered(realities.filter((one) => this.xr.isAvailable(types[one]))));
    this.xr.on('start', () => this.started());
    this.xr.on('end', () => this.leave());
    this.xr.input.on('select', (source: XrInputSource) => this.select(source));
    this.xr.input.on('remove', (source: XrInputSource) => this.forget(source));
    stage.app.on('update', (seconds: number) => {
      if (this.active) this.move(seconds);
    });
  }

  private get rig(): Entity {
    return this.stage.rig;
  }

  get active(): boolean {
    return this.xr.active;
  }

  /** Starts a session, in answer to a press of a button. Rejects where the browser refuses. */
  start(reality: Reality, begin: SessionStart): Promise<void> {
    this.begin = begin;
    this.walker.border = begin.border;
    return new Promise((resolve, reject) => {
      this.stage.camera.camera!.startXr(types[reality], XRSPACE_LOCALFLOOR, {
        callback: (error: Error | null) => (error ? reject(error) : resolve()),
      });
    });
  }

  end(): void {
    if (this.active) this.xr.end();
  }

  private started(): void {
    const { camera } = this.stage;
    const eye = camera.getPosition().clone();
    const { forward } = camera;
    const yaw = (Math.atan2(-forward.x, -forward.z) * 180) / Math.PI;
    // The floor of the visitor's own room is where the visitor stands, so the height of the
    // eye is the visitor's own.
    const floor = eye.y - this.begin.eyeHeight;
    this.rig.setPosition(eye.x, floor, eye.z);
    this.rig.setEulerAngles(0, yaw, 0);
    camera.setLocalPosition(0, eyeHeight, 0);
    camera.setLocalEulerAngles(0, 0, 0);
    this.walker.stand([eye.x, floor + eyeHeight, eye.z]);
    const reality = this.xr.type === XRTYPE_AR ? 'ar' : 'vr';
    this.stage.enterHeadset(reality === 'ar');
    this.events.changed(reality);
  }

  private leave(): void {
    const { camera } = this.stage;
    const eye = camera.getPosition().clone();
    const ahead = eye.clone().add(camera.forward);
    this.rig.setPosition(0, 0, 0);
    this.rig.setEulerAngles(0, 0, 0);
    camera.setPosition(eye);
    camera.lookAt(ahead);
    for (const source of [...this.beams.keys()]) this.forget(source);
    this.stage.leaveHeadset();
    this.events.changed(null);
  }

  /** Returns the axes of the stick of a hand; a controller without one has a touchpad. */
  private stick(hand: 'left' | 'right'): [number, number] {
    const axes = this.xr.input.inputSources.find((one) => one.handedness === hand)?.gamepad?.axes ?? [];
    const [x, y] = axes.length >= 4 ? [axes[2], axes[3]] : [axes[0], axes[1]];
    const rest = (value = 0): number => (Math.abs(value) < slack ? 0 : value);
    return [rest(x), rest(y)];
  }

  private move(seconds: number): void {
    const sources = this.xr.input.inputSources;
    if (sources.some((one) => one.gamepad?.buttons[exitButton]?.pressed)) {
      this.end();
      return;
    }
    this.turn(seconds, this.stick('right')[0]);
    const [x, y] = this.comfort.stick ? this.stick('left') : [0, 0];
    if (this.begin.mode === 'walk' && this.solids().length > 0) this.walk(seconds, x, y);
    else if (x !== 0 || y !== 0) this.fly(seconds, x, y);
    for (const source of sources) this.showBeam(source);
  }

  /** Turns around the visitor's head: smoothly, or by one step for each push of the stick. */
  private turn(seconds: number, x: number): void {
    if (this.comfort.smoothTurn) {
      this.rotate(-x * turnSpeed * seconds);
      return;
    }
    if (Math.abs(x) < releaseThreshold) this.turned = false;
    if (Math.abs(x) < turnThreshold || this.turned) return;
    this.turned = true;
    this.rotate(-Math.sign(x) * turnStep);
  }

  private rotate(degrees: number): void {
    const head = this.stage.camera.getPosition().clone();
    this.rig.rotate(0, degrees, 0);
    const moved = this.stage.camera.getPosition();
    this.rig.translate(head.x - moved.x, 0, head.z - moved.z);
  }

  /** Moves along the floor, in the direction of the view. The visitor's own steps count, too. */
  private walk(seconds: number, x: number, y: number): void {
    const { forward } = this.stage.camera;
    const head = this.stage.camera.getPosition();
    const level = Math.max(1e-6, Math.hypot(forward.x, forward.z));
    const [fx, fz] = [forward.x / level, forward.z / level];
    const { feet } = this.walker;
    feet[0] = head.x;
    feet[2] = head.z;
    this.walker.move(seconds, { x: (-fx * y - fz * x) * speed, z: (-fz * y + fx * x) * speed, jump: false });
    this.rig.translate(feet[0] - head.x, feet[1] - this.rig.getPosition().y, feet[2] - head.z);
  }

  private fly(seconds: number, x: number, y: number): void {
    const { forward, right } = this.stage.camera;
    const way = forward
      .clone()
      .mulScalar(-y)
      .add(right.clone().mulScalar(x))
      .mulScalar(speed * seconds);
    this.rig.translate(way);
    const head = this.stage.camera.getPosition();
    const [inX, inZ] = keepInside(this.begin.border, head.x, head.z);
    this.rig.translate(inX - head.x, 0, inZ - head.z);
  }

  private showBeam(source: XrInputSource): void {
    // A tap on the screen of a phone and a gaze have no hand to show a beam from.
    if (source.targetRayMode !== 'tracked-pointer') return;
    const beam = this.beams.get(source) ?? new Beam(this.stage);
    this.beams.set(source, beam);
    const [from, direction] = [source.getOrigin().clone(), source.getDirection().clone()];
    const { distance, target, floor } = this.events.hit(from, direction);
    beam.show(from, direction, distance, target ? null : floor);
  }

  private forget(source: XrInputSource): void {
    this.beams.get(source)?.destroy();
    this.beams.delete(source);
  }

  /** Opens what the visitor points at, or moves to the floor there. */
  private select(source: XrInputSource): void {
    const { target, floor } = this.events.hit(source.getOrigin().clone(), source.getDirection().clone());
    if (target) {
      target.activate();
      return;
    }
    if (floor) this.stand(floor);
  }

  private stand([toX, y, toZ]: Triple): void {
    const [x, z] = keepInside(this.begin.border, toX, toZ);
    const head = this.stage.camera.getPosition();
    this.rig.translate(x - head.x, y - this.rig.getPosition().y, z - head.z);
    this.walker.stand([x, y + eyeHeight, z]);
  }

  /** Puts the visitor at a view, at once: on the floor below it, where there is one to walk on. */
  show(eye: Triple, yaw: number): void {
    const { camera } = this.stage;
    this.rotate(yaw - (Math.atan2(-camera.forward.x, -camera.forward.z) * 180) / Math.PI);
    const floor = this.begin.mode === 'walk' ? castRay(this.solids(), eye, [0, -1, 0], drop)?.point : undefined;
    this.stand([eye[0], floor ? floor[1] : eye[1] - camera.getLocalPosition().y, eye[2]]);
  }
}
