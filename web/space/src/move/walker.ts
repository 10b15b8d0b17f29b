// A person who walks: an upright cylinder that falls, climbs steps, slides along walls.
//
// The motion is computed in ticks of equal length, whatever the rate of the pictures, so a fast and
// a slow device walk the same way. In each tick the body first moves sideways and is pushed out of
// what it overlaps, and then falls or follows the floor. Lengths are in metres, y is up.

import { eyeHeight, keepInside } from '../room.ts';
import type { Triple } from '../server/space.ts';
import type { Box, Solid } from './solid.ts';

/** The height of a person in metres. */
const height = 1.75;
const radius = 0.2;
/** The height of a step that needs no jump, in metres. */
const step = 0.35;
/** In metres per second squared, as the speeds are in metres per second. */
const gravity = 9.81;
const jumpSpeed = 3.6;
const maxFallSpeed = 30;
/** The time of one step of the motion in seconds. */
const tick = 1 / 60;
/** A slow device walks slower rather than through walls. */
const maxTicks = 30;
/** The distance below everything at which a fall ends at the start. */
const abyss = 20;

export interface Wish {
  /** Metres per second. */
  x: number;
  z: number;
  jump: boolean;
}

export class Walker {
  /** In metres, in the coordinates of the space. */
  readonly feet: [number, number, number] = [0, 0, 0];
  /** The height of the eye above the floor, in metres. */
  eyeHeight = eyeHeight;
  /** The corners of the area that is not left; none for everywhere. */
  border: readonly Triple[] = [];
  private readonly solids: () => readonly Solid[];
  private home: [number, number, number] = [0, 0, 0];
  private fallSpeed = 0;
  private grounded = false;
  private pendingTime = 0;
  /** The height of the feet, smoothed on steps. */
  private smoothFeet = 0;

  constructor(solids: () => readonly Solid[]) {
    this.solids = solids;
  }

  get eye(): [number, number, number] {
    return [this.feet[0], this.smoothFeet + this.eyeHeight, this.feet[2]];
  }

  /** The height of the body, which has its eye below its top. */
  private get height(): number {
    return Math.max(0.5, this.eyeHeight + height - eyeHeight);
  }

  /** Puts the eye at a place. The walker falls to the floor from there. */
  stand(eye: readonly [number, number, number]): void {
    const [x, z] = keepInside(this.border, eye[0], eye[2]);
    this.feet.splice(0, 3, x, eye[1] - this.eyeHeight, z);
    this.fallSpeed = 0;
    this.grounded = false;
    this.leaveFloor();
    this.home = [...this.feet];
    this.smoothFeet = this.feet[1];
  }

  /** Moves for a time; reports whether anything changed. */
  move(seconds: number, wish: Wish): boolean {
    const before = this.eye;
    this.pendingTime = Math.min(this.pendingTime + seconds, maxTicks * tick);
    for (; this.pendingTime >= tick; this.pendingTime -= tick) this.tick(wish);
    return this.eye.some((value, axis) => Math.abs(value - before[axis]!) > 1e-5);
  }

  private tick(wish: Wish): void {
    if (wish.jump && this.grounded) {
      this.fallSpeed = -jumpSpeed;
      this.grounded = false;
    }
    this.shift(wish.x * tick, wish.z * tick);
    this.drop();
    const lag = this.feet[1] - this.smoothFeet;
    this.smoothFeet += Math.abs(lag) > step * 2 || !this.grounded ? lag : lag * 0.25;
  }

  /** Moves sideways and out of what is in the way; stays where there is no way out. */
  private shift(x: number, z: number): void {
    if (x === 0 && z === 0) return;
    const from = [this.feet[0], this.feet[2]] as const;
    [this.feet[0], this.feet[2]] = keepInside(this.border, this.feet[0] + x, this.feet[2] + z);
    // A push may move the body into another box, as in a corner.
    for (let i = 0; i < 4; i++) {
      const push = this.push();
      if (!push) break;
      this.feet[0] += push[0];
      this.feet[2] += push[1];
    }
    if (this.push() || isOutside(this.border, this.feet)) [this.feet[0], this.feet[2]] = from;
  }

  /** Returns the way out of the deepest overlap of the body with a box; null for none. */
  private push(): [number, number] | null {
    const [x, y, z] = this.feet;
    let deepest = 1e-4;
    let out: [number, number] | null = null;
    // What is lower than a step does not stop somebody who stands on a floor.
    const knees = y + (this.grounded ? step : 0.05);
    this.visitBoxes({ min: [x - radius, knees, z - radius], max: [x + radius, y + this.height, z + radius] }, (box) => {
      const dx = x - Math.max(box.min[0], Math.min(x, box.max[0]));
      const dz = z - Math.max(box.min[2], Math.min(z, box.max[2]));
      const distance = Math.hypot(dx, dz);
      if (distance === 0) {
        const nearest = leaveBox(box, x, z);
        const depth = Math.hypot(...nearest);
        if (depth > deepest) [deepest, out] = [depth, nearest];
      } else if (radius - distance > deepest) {
        deepest = radius - distance;
        out = [(dx / distance) * deepest, (dz / distance) * deepest];
      }
    });
    return out;
  }

  /** Falls, or follows the floor up and down steps. */
  private drop(): void {
    this.fallSpeed = Math.min(this.fallSpeed + gravity * tick, maxFallSpeed);
    const target = this.feet[1] - this.fallSpeed * tick;
    // On a floor the feet follow it down a step instead of falling.
    const lowest = this.grounded ? Math.min(target, this.feet[1] - step) : target;
    const floor = this.fallSpeed < 0 ? -Infinity : this.floor(lowest);
    if (floor >= lowest) {
      this.feet[1] = floor;
      this.fallSpeed = 0;
      this.grounded = true;
      return;
    }
    this.grounded = false;
    if (this.fallSpeed < 0 && this.blockedAbove(target)) this.fallSpeed = 0;
    else this.feet[1] = target;
    if (this.feet[1] < this.bottom() - abyss) this.stand([this.home[0], this.home[1] + this.eyeHeight, this.home[2]]);
  }

  /**
   * Returns the height of the floor between a height and a step above the feet; -Infinity for none.
   * The feet are narrower than the body, so that nobody stands on the edge of a wall.
   */
  private floor(lowest: number): number {
    const [x, y, z] = this.feet;
    const reach = this.grounded ? step : 0.05;
    const width = radius / 2;
    let highest = -Infinity;
    this.visitBoxes({ min: [x - width, lowest, z - width], max: [x + width, y + reach, z + width] }, (box) => {
      if (box.max[1] <= y + reach + 1e-4) highest = Math.max(highest, box.max[1]);
    });
    return highest;
  }

  private blockedAbove(target: number): boolean {
    const [x, , z] = this.feet;
    const width = radius / 2;
    let blocked = false;
    this.visitBoxes(
      {
        min: [x - width, target + this.height - 0.1, z - width],
        max: [x + width, target + this.height, z + width],
      },
      () => {
        blocked = true;
      },
    );
    return blocked;
  }

  /** Rises to the floor when a start is slightly below it, by at most 1.5 m. */
  private leaveFloor(): void {
    for (let i = 0; i < 30; i++) {
      const [x, y, z] = this.feet;
      let inside = false;
      this.visitBoxes({ min: [x - 0.1, y, z - 0.1], max: [x + 0.1, y + 0.5, z + 0.1] }, () => {
        inside = true;
      });
      if (!inside) return;
      this.feet[1] += 0.05;
    }
  }

  private bottom(): number {
    return Math.min(this.home[1], ...this.solids().map((solid) => solid.bounds().min[1]));
  }

  private visitBoxes(region: Box, visit: (box: Box) => void): void {
    for (const solid of this.solids()) solid.visitBoxes(region, visit);
  }
}

function isOutside(border: readonly Triple[], [x, , z]: readonly number[]): boolean {
  const [nearX, nearZ] = keepInside(border, x!, z!);
  return Math.hypot(nearX - x!, nearZ - z!) > 1e-6;
}

/** Returns the shortest way for a circle inside a box to get out of it. */
function leaveBox(box: Box, x: number, z: number): [number, number] {
  const ways: [number, number][] = [
    [box.min[0] - x - radius, 0],
    [box.max[0] - x + radius, 0],
    [0, box.min[2] - z - radius],
    [0, box.max[2] - z + radius],
  ];
  return ways.reduce((best, way) => (Math.hypot(...way) < Math.hypot(...best) ? way : best));
}

/**
 * Returns the first place at which a ray meets something solid within a distance, and
 * whether one could stand there; null where it meets nothing. It looks every 4 cm, which is less than
 * a voxel.
 */
export function castRay(
  solids: readonly Solid[],
  from: readonly number[],
  direction: readonly number[],
  limit: number,
): { point: [number, number, number]; distance: number; floor: boolean } | null {
  const stride = 0.04;
  for (let distance = 0; distance < limit; distance += stride) {
    const point = [0, 1, 2].map((axis) => from[axis]! + direction[axis]! * distance) as [number, number, number];
    const region: Box = {
      min: [point[0] - 0.01, point[1] - 0.01, point[2] - 0.01],
      max: [point[0] + 0.01, point[1] + 0.01, point[2] + 0.01],
    };
    let top = -Infinity;
    for (const solid of solids)
      solid.visitBoxes(region, (box) => {
        top = Math.max(top, box.max[1]);
      });
    if (top === -Infinity) continue;
    return { point, distance, floor: isFree(solids, point[0], top, point[2]) };
  }
  return null;
}

function isFree(solids: readonly Solid[], x: number, y: number, z: number): boolean {
  let free = true;
  const region: Box = { min: [x - 0.1, y + 0.1, z - 0.1], max: [x + 0.1, y + height, z + 0.1] };
  for (const solid of solids)
    solid.visitBoxes(region, () => {
      free = false;
    });
  return free;
}
