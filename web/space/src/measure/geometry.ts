// Lengths, areas and angles of points of a space, and the plane of a surface.

import { text, triple } from '../entity.ts';
import type { Data, Triple } from '../server/space.ts';

export const measureKinds = ['distance', 'polyline', 'height', 'area', 'angle'] as const;
export type MeasureKind = (typeof measureKinds)[number];
export type Unit = 'metre' | 'foot';

/** A measurement that is kept in the space, or is being made. */
export interface Measurement {
  kind: MeasureKind;
  points: readonly Triple[];
}

/** The minimum and the maximum of points of each kind. */
export const counts: Record<MeasureKind, readonly [number, number]> = {
  distance: [2, 2],
  polyline: [2, 200],
  height: [2, 2],
  area: [3, 200],
  angle: [3, 3],
};

const metresPerFoot = 0.3048;
const none: Triple = [NaN, NaN, NaN];

/** Reads a measurement that any client may have written; null where it is none. */
export function readMeasurement(data: Data): Measurement | null {
  const kind = measureKinds.find((one) => one === text(data, 'kind'));
  const { points } = data;
  if (!kind || !Array.isArray(points)) return null;
  const read = points.slice(0, counts[kind][1]).map((point) => triple(point, none));
  const isComplete = read.length >= counts[kind][0] && read.every((point) => point.every((value) => Math.abs(value) < 1e6));
  return isComplete ? { kind, points: read } : null;
}

const minus = (a: Triple, b: Triple): Triple => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a: Triple, b: Triple): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: Triple, b: Triple): Triple => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

export function distanceBetween(a: Triple, b: Triple): number {
  return Math.hypot(...minus(a, b));
}

/** Returns metres, square metres or degrees; null while there are too few points. */
export function measure({ kind, points }: Measurement): number | null {
  if (points.length < counts[kind][0]) return null;
  if (kind === 'height') return Math.abs(points[1]![1] - points[0]![1]);
  if (kind === 'angle') return angleAt(points[1]!, points[0]!, points[2]!);
  if (kind === 'area') return areaOf(points);
  return points.slice(1).reduce((sum, point, i) => sum + distanceBetween(points[i]!, point), 0);
}

/** Returns the angle at a corner between two others, in degrees. */
function angleAt(corner: Triple, one: Triple, other: Triple): number {
  const [a, b] = [minus(one, corner), minus(other, corner)];
  return (Math.atan2(Math.hypot(...cross(a, b)), dot(a, b)) * 180) / Math.PI;
}

/** Returns the area of a polygon, which may lie in any direction. */
function areaOf(points: readonly Triple[]): number {
  const [first, ...others] = points;
  let sum: Triple = [0, 0, 0];
  others.slice(1).forEach((point, i) => {
    const [x, y, z] = cross(minus(others[i]!, first!), minus(point, first!));
    sum = [sum[0] + x, sum[1] + y, sum[2] + z];
  });
  return Math.hypot(...sum) / 2;
}

/** Returns a value with its unit, in the manner of a language: feet have inches. */
export function format(kind: MeasureKind, value: number, unit: Unit, language: string): string {
  const number = (digits: number, one: number): string =>
    new Intl.NumberFormat(language, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(one);
  if (kind === 'angle') return `${number(1, value)}°`;
  if (kind === 'area') return unit === 'metre' ? `${number(2, value)} m²` : `${number(1, value / metresPerFoot ** 2)} ft²`;
  if (unit === 'metre') return `${number(value < 0.1 ? 3 : 2, value)} m`;
  const eighths = Math.round((value / metresPerFoot) * 12 * 8);
  const feet = Math.floor(eighths / 96);
  return `${number(0, feet)} ft ${number(1, (eighths - feet * 96) / 8)} in`;
}

/** A plane through a point, with a normal of length 1. */
export interface Plane {
  point: Triple;
  normal: Triple;
}

/**
 * Returns the plane of a surface through samples around a point, the first of which is the point
 * itself; null where they are too few or do not lie on one plane, as at an edge. tolerance is in metres.
 */
export function fitPlane(samples: readonly Triple[], tolerance: number): Plane | null {
  if (samples.length < 4) return null;
  const mean = (points: readonly Triple[]): Triple =>
    [0, 1, 2].map((axis) => points.reduce((sum, point) => sum + point[axis]!, 0) / points.length) as unknown as Triple;
  const centre = mean(samples);
  const rays = samples.map((sample) => minus(sample, centre));
  // The normal is the direction with the least spread: the sum of the crosses of all pairs, each
  // turned to the same side, weighs large triangles most.
  let normal: Triple = [0, 0, 0];
  for (let i = 0; i < rays.length; i++) {
    for (let j = i + 1; j < rays.length; j++) {
      const next = cross(rays[i]!, rays[j]!);
      const side = dot(next, normal) < 0 ? -1 : 1;
      normal = [normal[0] + side * next[0], normal[1] + side * next[1], normal[2] + side * next[2]];
    }
  }
  const length = Math.hypot(...normal);
  if (length < 1e-12) return null;
  normal = [normal[0] / length, normal[1] / length, normal[2] / length];
  return rays.some((ray) => Math.abs(dot(ray, normal)) > tolerance) ? null : { point: centre, normal };
}

/** Returns where a ray meets a plane; null where it runs along it. */
export function meetPlane({ point, normal }: Plane, from: Triple, direction: Triple): Triple | null {
  const slope = dot(direction, normal);
  if (Math.abs(slope) < 0.05) return null;
  const distance = dot(minus(point, from), normal) / slope;
  return distance > 0 ? [from[0] + direction[0] * distance, from[1] + direction[1] * distance, from[2] + direction[2] * distance] : null;
}
