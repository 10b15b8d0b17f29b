// The settings of a space in the data of RoomInfo that decide how visitors move. Any client may have
// written them: what is missing, of another type or out of range has no effect.

import { object, text, triple } from './entity.ts';
import type { Data, Triple } from './server/space.ts';
import type { Mode } from './view.ts';

/** The id of the entity with the settings. */
export const roomId = 'RoomInfo';

/** The height of the eye above the floor, in metres, unless the owner sets another. */
export const eyeHeight = 1.6;
/** The speed of walking that other clients take as the normal one. */
const normalSpeed = 0.8;
/** The maximum of corners of a border. */
const maxCorners = 200;

export interface OrbitLimits {
  /** Distances in metres. */
  nearest: number;
  farthest: number;
  /** Degrees of the eye above what it looks at. */
  lowest: number;
  highest: number;
}

export interface Movement {
  eyeHeight: number;
  /** The factor of the speeds of walking and flying. */
  speed: number;
  /** The mode of the first view; null for what suits the space. */
  start: Mode | null;
  /** The modes that visitors may choose; null for all. */
  modes: readonly Mode[] | null;
  /** The corners of the area that visitors do not leave; fewer than three for none. */
  border: readonly Triple[];
  isBorderShown: boolean;
  orbit: OrbitLimits | null;
}

const modes: readonly Mode[] = ['walk', 'fly', 'orbit'];

/** Returns a number within limits; otherwise for what is no number. */
export function clamped(value: unknown, lowest: number, highest: number, otherwise: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? Math.max(lowest, Math.min(highest, value)) : otherwise;
}

export function movementOf(room: Data): Movement {
  const movement = object(room, 'movement');
  const allowed = Array.isArray(movement['modes']) ? modes.filter((mode) => (movement['modes'] as unknown[]).includes(mode)) : [];
  const start = modes.find((mode) => mode === movement['start']) ?? null;
  const border = readBorder(movement['border']);
  return {
    eyeHeight: clamped(movement['eyeHeight'], 0.3, 5, eyeHeight),
    speed: clamped(room['moveSpeed'], 0.01, 3, normalSpeed) / normalSpeed,
    start: start ?? (text(room, 'defaultCamera') === 'free' ? 'fly' : null),
    modes: allowed.length > 0 ? allowed : null,
    border: border.length >= 3 ? border : [],
    isBorderShown: movement['hideBorder'] !== true,
    orbit: readOrbit(object(movement, 'orbit')),
  };
}

function readBorder(value: unknown): Triple[] {
  if (!Array.isArray(value)) return [];
  const none: Triple = [NaN, NaN, NaN];
  const corners = value.slice(0, maxCorners).map((corner) => triple(corner, none));
  return corners.some(([x, y, z]) => !(Math.abs(x) < 1e6 && Math.abs(y) < 1e6 && Math.abs(z) < 1e6)) ? [] : corners;
}

function readOrbit(limits: Data): OrbitLimits | null {
  const names = ['nearest', 'farthest', 'lowest', 'highest'];
  if (!names.some((name) => typeof limits[name] === 'number')) return null;
  const nearest = clamped(limits['nearest'], 0.001, 1e5, 0.1);
  const lowest = clamped(limits['lowest'], -89, 89, -89);
  return {
    nearest,
    farthest: Math.max(nearest, clamped(limits['farthest'], 0.001, 1e5, 1e5)),
    lowest,
    highest: Math.max(lowest, clamped(limits['highest'], -89, 89, 89)),
  };
}

/** Returns the vertical field of view in degrees; otherwise where the owner sets none. */
export function fieldOfViewOf(room: Data, otherwise: number): number {
  return clamped(room['cameraFOV'], 20, 120, otherwise);
}

/** The settings that change how the space looks and sounds, which only spaces with one of them load. */
const lookKeys =
  /^(framePosteffectParams|toneMapping|vignette|backgroundColor|sky(?:box|Gradient)\w*|stageLight\w*|envLightFinal|introSound\w*)$/;

/** Reports whether the owner has given the space a look. */
export function hasLook(room: Data): boolean {
  return Object.entries(room).some(([name, value]) => lookKeys.test(name) && isSet(value));
}

function isSet(value: unknown): boolean {
  if (value && typeof value === 'object') return Object.values(value).some(isSet);
  return value !== null && value !== '';
}

/**
 * Returns the place in an area of the floor that is nearest to x and z: the same where they are inside.
 * The corners may be in either direction.
 */
export function keepInside(border: readonly Triple[], x: number, z: number): [number, number] {
  let inside = false;
  let nearest: [number, number] = [x, z];
  let shortest = Infinity;
  border.forEach(([ax, , az], i) => {
    const [bx, , bz] = border[(i + 1) % border.length]!;
    if (az > z !== bz > z && x < ((bx - ax) * (z - az)) / (bz - az) + ax) inside = !inside;
    const length = (bx - ax) ** 2 + (bz - az) ** 2;
    const share = length === 0 ? 0 : Math.max(0, Math.min(1, ((x - ax) * (bx - ax) + (z - az) * (bz - az)) / length));
    const place: [number, number] = [ax + (bx - ax) * share, az + (bz - az) * share];
    const distance = Math.hypot(place[0] - x, place[1] - z);
    if (distance < shortest) [shortest, nearest] = [distance, place];
  });
  return inside || border.length < 3 ? [x, z] : nearest;
}
