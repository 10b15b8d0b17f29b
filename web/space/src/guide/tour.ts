// A tour: views and annotations in an order, with flights between them. It is compiled into a
// sequence of keyframes, so that it plays, and is exported, like every camera path.

import { number, object, text } from '../entity.ts';
import { lookAt } from '../move/controls.ts';
import type { Data, EntityRow } from '../server/space.ts';
import { cameraId, catmullRom } from './sequence.ts';
import type { Key, Sequence, Track } from './sequence.ts';
import { direction, readViewpoint, rotationOf } from './viewpoint.ts';
import type { Viewpoint } from './viewpoint.ts';

/** A place of a tour, as the entity has it. */
export interface Stop {
  /** The id of the annotation that it shows; empty for a view alone. */
  annotation: string;
  title: string;
  text: string;
  /** The address of the narration; empty for none. */
  sound: string;
  /** Seconds at the place; 0 passes through it. */
  seconds: number;
  /** Seconds of the flight to the place. */
  flight: number;
  view: Viewpoint | null;
}

/** A stop on the time line: the frames of its arrival and its departure. */
export interface Halt {
  stop: Stop;
  view: Viewpoint;
  arrive: number;
  leave: number;
}

export interface CompiledTour {
  sequence: Sequence;
  halts: readonly Halt[];
}

/** The maximum number of stops. */
export const maxStops = 500;
export const defaultSeconds = 6;
export const defaultFlight = 3;
/** The event of a marker where a tour halts. Other players of paths ignore it. */
export const stopEvent = 'portico:stop';
const fps = 30;
/** Keys are this many frames apart, and farther in long flights, so that no track has too many. */
const minStep = 3;
const maxKeys = 1900;

export function stopsOf({ data }: EntityRow): Stop[] {
  const { stops } = data;
  if (!Array.isArray(stops)) return [];
  return stops.slice(0, maxStops).map((one: unknown) => readStop(object({ one }, 'one')));
}

function readStop(data: Data): Stop {
  return {
    annotation: text(data, 'annotation'),
    title: text(data, 'title'),
    text: text(data, 'text'),
    sound: text(data, 'soundURL'),
    seconds: limited(number(data, 'seconds', defaultSeconds), 0, 600),
    flight: limited(number(data, 'flight', defaultFlight), 0, 120),
    view: readViewpoint(data, 'camera'),
  };
}

function limited(value: number, min: number, max: number): number {
  return Math.max(min, Math.min(max, value));
}

/** Compiles stops into a sequence; null where fewer than one has a view. viewOf returns the view of an annotation. */
export function compileTour(name: string, stops: readonly Stop[], viewOf: (annotation: string) => Viewpoint | null): CompiledTour | null {
  const halts: Halt[] = [];
  let frame = 0;
  for (const stop of stops) {
    const view = stop.view ?? (stop.annotation ? viewOf(stop.annotation) : null);
    if (!view) continue;
    if (halts.length > 0) frame += Math.max(1, Math.round(stop.flight * fps));
    const arrive = frame;
    frame += Math.round(stop.seconds * fps);
    halts.push({ stop, view, arrive, leave: frame });
  }
  if (halts.length === 0) return null;
  const markers = halts.map(({ stop, arrive, leave }, i) => ({
    frame: arrive,
    label: stop.title || stop.annotation || String(i + 1),
    event: stopEvent,
    payload: { annotation: stop.annotation, seconds: (leave - arrive) / fps, soundURL: stop.sound, title: stop.title, text: stop.text },
  }));
  return { sequence: { name, fps, length: Math.max(1, frame), entities: new Map([[cameraId, tracksOf(halts)]]), markers }, halts };
}

/** A pose as numbers that can be interpolated: the target, the distance from it, yaw, pitch and the field of view. */
type Pose = readonly number[];

/** Returns the tracks of the camera through the halts. */
function tracksOf(halts: readonly Halt[]): Track[] {
  const poses = posesOf(halts.map(({ view }) => view));
  const frames = new Map<number, Pose>();
  const step = Math.max(minStep, Math.ceil(halts.at(-1)!.leave / maxKeys));
  let first = 0;
  for (let i = 0; i < halts.length; i++) {
    frames.set(halts[i]!.arrive, poses[i]!);
    frames.set(halts[i]!.leave, poses[i]!);
    const ends = i === halts.length - 1 || halts[i]!.leave > halts[i]!.arrive;
    if (!ends || i === first) continue;
    fly(halts.slice(first, i + 1), poses.slice(first, i + 1), step, frames);
    first = i;
  }
  const keys = [...frames].sort(([a], [b]) => a - b);
  const track = (property: string, type: Track['type'], value: (pose: Pose) => readonly number[]): Track => ({
    property,
    type,
    keys: keys.map(([frame, pose]): Key => ({ frame, value: value(pose) })),
  });
  return [
    track('position', 'vec3', positionOf),
    track('rotation', 'quat', (pose) => rotationOf(pose[4]!, pose[5]!)),
    ...(halts.some(({ view }) => view.fov !== null) ? [track('fov', 'number', (pose) => [pose[6]!])] : []),
  ];
}

function positionOf(pose: Pose): readonly number[] {
  const ahead = direction(pose[4]!, pose[5]!);
  return ahead.map((value, axis) => pose[axis]! - value * pose[3]!);
}

/** Adds the frames of a flight without a halt. It starts and ends slowly, and turns around what it looks at. */
function fly(halts: readonly Halt[], poses: readonly Pose[], step: number, frames: Map<number, Pose>): void {
  const start = halts[0]!.leave;
  const length = halts.at(-1)!.arrive - start;
  for (let frame = start + step; frame < start + length; frame += step) {
    const s = (frame - start) / length;
    const eased = start + length * s * s * (3 - 2 * s);
    let leg = halts.findIndex(({ arrive }, i) => i > 0 && eased <= arrive);
    if (leg < 1) leg = halts.length - 1;
    const [from, to] = [leg === 1 ? start : halts[leg - 1]!.arrive, halts[leg]!.arrive];
    const points = [poses[Math.max(0, leg - 2)]!, poses[leg - 1]!, poses[leg]!, poses[Math.min(poses.length - 1, leg + 1)]!];
    frames.set(frame, catmullRom(points, (eased - from) / Math.max(1e-6, to - from)));
  }
}

/** The field of view of a stop without one, in a tour that has others. */
const defaultFov = 60;

function posesOf(views: readonly Viewpoint[]): Pose[] {
  let before: number | null = null;
  return views.map(({ position, target, fov }) => {
    const { yaw, pitch, distance } = lookAt('fly', position, target);
    // The shorter way around.
    const turned: number = before === null ? yaw : yaw + 360 * Math.round((before - yaw) / 360);
    before = turned;
    return [...target, distance, turned, pitch, fov ?? defaultFov];
  });
}

/** Returns the flight from one view to another, as a sequence. */
export function flight(from: Viewpoint, to: Viewpoint, seconds: number): Sequence {
  const stop = (view: Viewpoint): Stop => ({ annotation: '', title: '', text: '', sound: '', seconds: 0, flight: seconds, view });
  return { ...compileTour('', [stop(from), stop(to)], () => null)!.sequence, markers: [] };
}
