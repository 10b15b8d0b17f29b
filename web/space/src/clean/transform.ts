// What a clean-up is for the server: changes of the file, and the placement of its entity afterwards.

import { Mat4, Quat, Vec3 } from 'playcanvas';
import type { Triple } from '../server/space.ts';

/** What stays: everything, or what is in a box or a ball of this size in metres, as the space shows it. */
export interface Crop {
  shape: 'all' | 'box' | 'sphere';
  position: Vec3;
  rotation: Quat;
  size: Vec3;
}

export interface CleanUp {
  /** The placement of the entity before anything was turned, and whether its file has y up. */
  placement: Mat4;
  isYUp: boolean;
  /** How the capture was turned and moved in the space since then; null for not at all. */
  turn: Mat4 | null;
  crop: Crop;
  floaters: boolean;
  /** The place in the space that becomes the origin of the file; null for no other. */
  origin: Vec3 | null;
}

/** A change of a file, as convertFile of the server has it. */
export type Edit =
  | { rotate: Triple }
  | { translate: Triple }
  | { filterBox: { min: Triple; max: Triple } }
  | { filterSphere: { center: Triple; radius: number } }
  | { filterFloaters: { size: number } };

export interface Result {
  edits: Edit[];
  /** Where the entity with the new file is; null where it stays as it is. */
  placement: { position: Vec3; rotation: Vec3 } | null;
}

const halfTurn = new Mat4().setFromEulerAngles(0, 0, 180);
/** The edge of the voxels by which floaters are found, in metres of the space, and its limits in those of the file. */
const voxel = 0.05;
const [smallestVoxel, largestVoxel] = [0.001, 1000];
/** Rotations below this angle are none, in degrees. */
const still = 1e-3;

/** Returns the factor of a placement; null where it is not one in all directions, or not positive. */
export function uniformScale(placement: Mat4): number | null {
  const { x, y, z } = placement.getScale();
  return placement.scaleSign > 0 && Math.max(x, y, z) - Math.min(x, y, z) <= 1e-3 * x ? x : null;
}

/**
 * Returns the changes of the file and the placement of its entity. In the coordinates of the server, y is
 * up, which is half a turn about z from those of most files; a file that it has written needs that turn.
 * A capture that was turned to the floor keeps only its direction of view in the entity's rotation: the
 * file itself stands upright.
 */
export function cleanUp({ placement, isYUp, turn, crop, floaters, origin }: CleanUp): Result {
  const scale = uniformScale(placement) ?? 1;
  const before = isYUp ? placement.clone() : new Mat4().mul2(placement, halfTurn);
  const shown = turn ? new Mat4().mul2(turn, before) : before;
  const rotation = rotationOf(shown, scale);
  const toFile = shown.clone().invert();
  const edits: Edit[] = [];
  let done = new Quat(); // how the Gaussians are rotated so far
  if (crop.shape === 'box') {
    done = crop.rotation.clone().invert().mul(rotation);
    edits.push(...rotate(done));
    const middle = done.transformVector(toFile.transformPoint(crop.position));
    const half = crop.size.clone().mulScalar(0.5 / scale);
    edits.push({ filterBox: { min: rounded(middle.clone().sub(half)), max: rounded(middle.clone().add(half)) } });
  } else if (crop.shape === 'sphere') {
    edits.push({ filterSphere: { center: rounded(toFile.transformPoint(crop.position)), radius: round(crop.size.x / 2 / scale) } });
  }
  if (floaters) edits.push({ filterFloaters: { size: Math.min(largestVoxel, Math.max(smallestVoxel, round(voxel / scale))) } });
  const upright = turn ? headingOf(rotation).invert().mul(rotation) : new Quat();
  edits.push(...rotate(upright.clone().mul(done.clone().invert())));
  const move = new Vec3();
  if (origin) upright.transformVector(toFile.transformPoint(origin), move).mulScalar(-1);
  else if (turn) move.y = shown.getTranslation().y / scale; // the floor has height 0
  if (move.length() > 0) edits.push({ translate: rounded(move) });
  if (!turn && !origin && !isYUp) return { edits, placement: null };
  const back = upright.clone().invert();
  const position = shown.transformPoint(back.transformVector(move.clone().mulScalar(-1)));
  const turned = rotation
    .clone()
    .mul(back)
    .mul(new Quat().setFromEulerAngles(0, 0, 180));
  return { edits, placement: { position, rotation: turned.getEulerAngles() } };
}

/** Returns the turn and the move that bring the plane through three places to the ground; null for places in one line. */
export function toFloor(points: readonly Vec3[], eye: Vec3): Mat4 | null {
  const [a, b, c] = points as [Vec3, Vec3, Vec3];
  const normal = new Vec3().cross(b.clone().sub(a), c.clone().sub(a));
  const spread = Math.max(a.distance(b), b.distance(c), c.distance(a));
  if (normal.length() < 0.02 * spread ** 2 || spread === 0) return null;
  normal.normalize();
  if (normal.dot(eye.clone().sub(a)) < 0) normal.mulScalar(-1);
  const turn = new Mat4().setTRS(Vec3.ZERO, new Quat().setFromDirections(normal, Vec3.UP), Vec3.ONE);
  const middle = a
    .clone()
    .add(b)
    .add(c)
    .mulScalar(1 / 3);
  const { x, y, z } = turn.transformPoint(middle);
  return new Mat4().mul2(new Mat4().setTranslate(middle.x - x, -y, middle.z - z), turn);
}

/** Returns the rotation of a transform that scales by one factor. */
function rotationOf(transform: Mat4, scale: number): Quat {
  const plain = new Mat4().mul2(transform, new Mat4().setScale(1 / scale, 1 / scale, 1 / scale));
  return new Quat().setFromMat4(plain).normalize();
}

/** Returns the part of a rotation that turns about the vertical. */
function headingOf(rotation: Quat): Quat {
  const ahead = rotation.transformVector(Vec3.BACK.clone());
  return new Quat().setFromEulerAngles(0, (Math.atan2(ahead.x, ahead.z) * 180) / Math.PI, 0);
}

/** The engine's Euler angles turn about x, then y, then z, as those of the server. */
function rotate(rotation: Quat): Edit[] {
  const angle = (Math.acos(Math.min(1, Math.abs(rotation.w))) * 360) / Math.PI;
  return angle < still ? [] : [{ rotate: rounded(rotation.getEulerAngles()) }];
}

function round(value: number): number {
  return Math.round(value * 1e6) / 1e6 || 0;
}

function rounded({ x, y, z }: Vec3): Triple {
  return [round(x), round(y), round(z)];
}
