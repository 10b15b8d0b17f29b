// Camera paths (.path): tracks of keyframes, and their values between the keys. A tour is such a
// sequence, too.

import { text } from '../entity.ts';
import type { Data } from '../server/space.ts';

export type TrackType = 'number' | 'vec3' | 'quat';

export interface Key {
  frame: number;
  value: readonly number[];
}

export interface Track {
  property: string;
  type: TrackType;
  /** In ascending order of frames; never empty. */
  keys: readonly Key[];
}

export interface Marker {
  frame: number;
  label: string;
  event: string | null;
  payload: unknown;
}

export interface Sequence {
  name: string;
  /** Frames a second. */
  fps: number;
  /** The last frame. */
  length: number;
  /** The tracks of each entity, by its id. */
  entities: ReadonlyMap<string, readonly Track[]>;
  markers: readonly Marker[];
}

/** The id that stands for the camera. */
export const cameraId = 'main-camera';

const limits = { entities: 64, keys: 2000, markers: 2000, frame: 1e6 };
const sizes: Record<TrackType, number> = { number: 1, vec3: 3, quat: 4 };
const axes = ['x', 'y', 'z', 'w'];

function record(value: unknown): Data | null {
  return value && typeof value === 'object' && !Array.isArray(value) ? (value as Data) : null;
}

/**
 * Reads a path; null for one that does not play, because it is disabled or has no keys. target is the
 * entity that an older file means. It throws where the file breaks the format or its limits.
 */
export function readPath(file: unknown, target = ''): Sequence | null {
  const whole = record(file);
  const data = record(whole?.['data']);
  if (!whole || !data) throw new Error('the file has no object data');
  if (whole['disabled'] === true) return null;
  const fps = data['fps'] ?? 30;
  if (typeof fps !== 'number' || !(fps > 0 && fps <= 1000)) throw new Error('fps must be a number from 0 to 1000');
  const legacy = record(data['properties']);
  const listed = record(data['entities']) ?? (legacy ? { [target || cameraId]: legacy } : {});
  const off = disabledIds(data['disabledEntities']);
  const ids = Object.keys(listed).filter((id) => !off.has(id));
  if (ids.length > limits.entities) throw new Error(`more than ${limits.entities} entities`);
  const entities = new Map(ids.map((id) => [id, readTracks(record(listed[id]) ?? {})]));
  const frames = [...entities.values()].flat().map((track) => track.keys.at(-1)!.frame);
  if (frames.length === 0) return null;
  return { name: text(whole, 'name'), fps, length: Math.max(...frames), entities, markers: readMarkers(data['markers']) };
}

function disabledIds(value: unknown): Set<unknown> {
  return new Set(Array.isArray(value) ? value : Object.entries(record(value) ?? {}).flatMap(([id, off]) => (off ? [id] : [])));
}

function readTracks(properties: Data): Track[] {
  return Object.entries(properties).flatMap(([property, value]) => {
    const keyframes = record(value)?.['keyframes'];
    if (!Array.isArray(keyframes) || keyframes.length === 0) return [];
    if (keyframes.length > limits.keys) throw new Error(`${property} has more than ${limits.keys} keys`);
    const named = record(value)!['type'];
    const type = named === 'vec3' || named === 'quat' ? named : 'number';
    const keys = keyframes.map((one): Key => {
      const key = record(one) ?? {};
      return { frame: readFrame(key['frameNumber']), value: readValue(key['keyframeData'], type, property) };
    });
    return [{ property, type, keys: keys.sort((a, b) => a.frame - b.frame) }];
  });
}

function readFrame(value: unknown): number {
  if (typeof value !== 'number' || !(value >= 0 && value <= limits.frame)) throw new Error('frameNumber must be a number from 0');
  return value;
}

function readValue(value: unknown, type: TrackType, property: string): number[] {
  const numbers = type === 'number' ? [value] : axes.slice(0, sizes[type]).map((axis) => record(value)?.[axis]);
  if (!numbers.every((n): n is number => typeof n === 'number' && Number.isFinite(n)))
    throw new Error(`${property} has a key without numbers`);
  if (type !== 'quat') return numbers;
  const length = Math.hypot(...numbers);
  if (length < 1e-6) throw new Error(`${property} has a key that is no rotation`);
  return numbers.map((n) => n / length);
}

function readMarkers(value: unknown): Marker[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, limits.markers).flatMap((one) => {
    const marker = record(one);
    if (!marker) return [];
    const { event } = marker;
    const frame = readFrame(marker['frameNumber']);
    return [{ frame, label: text(marker, 'label'), event: typeof event === 'string' ? event : null, payload: marker['payload'] ?? null }];
  });
}

/** Returns the file of a sequence. */
export function writePath(id: string, sequence: Sequence): Data {
  const write = ({ type, keys }: Track): Data => ({
    type,
    keyframes: keys.map(({ frame, value }, i) => ({ id: `k${i}`, frameNumber: frame, keyframeData: writeValue(value) })),
  });
  const entities = [...sequence.entities].map(([entity, tracks]) => [
    entity,
    Object.fromEntries(tracks.map((track) => [track.property, write(track)])),
  ]);
  const markers = sequence.markers.map((marker, i) => ({
    id: `m${i}`,
    frameNumber: marker.frame,
    label: marker.label,
    color: '#2450c8',
    event: marker.event,
    payload: marker.payload,
  }));
  return { id, name: sequence.name, data: { fps: sequence.fps, entities: Object.fromEntries(entities), markers } };
}

function writeValue(value: readonly number[]): unknown {
  const rounded = value.map((n) => Number(n.toFixed(6)));
  return rounded.length === 1 ? rounded[0] : Object.fromEntries(rounded.map((n, i) => [axes[i]!, n]));
}

/**
 * Returns the value of a track at a frame: uniform Catmull-Rom between four keys, of which the first
 * and the last are repeated at the ends. Before the first key and after the last it rests. Of two
 * keys on one frame the later one counts from there on.
 */
export function valueAt({ type, keys }: Track, frame: number): number[] {
  let next = keys.findIndex((key) => key.frame > frame);
  if (next === 0) return [...keys[0]!.value];
  if (next < 0) next = keys.length;
  const from = keys[next - 1]!;
  const to = keys[next];
  if (!to) return [...from.value];
  const t = (frame - from.frame) / (to.frame - from.frame);
  const points = [keys[next - 2] ?? from, from, to, keys[next + 1] ?? to].map((key) => key.value);
  return type === 'quat' ? normalized(catmullRom(aligned(points), t)) : catmullRom(points, t);
}

/** Returns the point at t from 0 to 1 between the second and the third of four points. */
export function catmullRom([a, b, c, d]: readonly (readonly number[])[], t: number): number[] {
  return b!.map((value, i) => {
    const [before, after] = [a![i]!, c![i]!];
    const start = (after - before) / 2;
    const end = (d![i]! - value) / 2;
    const way = after - value;
    return value + t * (start + t * (3 * way - 2 * start - end + t * (start + end - 2 * way)));
  });
}

/** Returns rotations of which each is in the hemisphere of the one before. */
function aligned(points: readonly (readonly number[])[]): number[][] {
  const list = points.map((point) => [...point]);
  for (let i = 1; i < list.length; i++) {
    const dot = list[i]!.reduce((sum, value, axis) => sum + value * list[i - 1]![axis]!, 0);
    if (dot < 0) list[i] = list[i]!.map((value) => -value);
  }
  return list;
}

function normalized(value: readonly number[]): number[] {
  const length = Math.hypot(...value);
  return length < 1e-9 ? [0, 0, 0, 1] : value.map((n) => n / length);
}

/** Returns the markers between two frames in the order of a playback: after the first, up to the second. */
export function markersBetween({ markers }: Sequence, from: number, to: number): Marker[] {
  const passed = markers.filter(({ frame }) => (from < to ? frame > from && frame <= to : frame < from && frame >= to));
  return passed.sort((a, b) => (from < to ? a.frame - b.frame : b.frame - a.frame));
}
