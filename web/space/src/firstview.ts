// The view with which a visit starts.

import { Mat4, Vec3 } from 'playcanvas';
import type { BoundingBox } from 'playcanvas';
import { isHidden, isYUp, kindOf, object, placementOf, triple } from './entity.ts';
import { lookAt } from './move/controls.ts';
import { frameBox, largestCluster, sceneBounds } from './scene/bounds.ts';
import { clamped, movementOf } from './room.ts';
import { hubStart } from './scene/hub.ts';
import type { Item } from './scene/item.ts';
import type { Data, EntityRow, Space, Triple } from './server/space.ts';
import type { Mode, View } from './view.ts';

/** Captures that are tilted by more than 35 degrees have no floor to walk on. */
const uprightCosine = 0.82;

/** The certainty from which the server counts up as found. */
const certainUp = 0.85;

const halfTurn = new Mat4().setFromEulerAngles(0, 0, 180);

/**
 * Returns the first view of a space, from the first of these that it has: a start in RoomInfo, a
 * SpawnPoint, the start of a capture, the room of a hub. Null where it has none, and where
 * nothing says how to look at the space before it is loaded.
 */
export function firstView(space: Space): View | null {
  const view = fromRoom(space) ?? fromSpawnPoint(space) ?? fromCapture(space) ?? fromHub(space);
  if (!view) return null;
  const { start, modes } = movementOf(space.room.data);
  const able = (mode: Mode): boolean => mode !== 'walk' || walkable(space);
  const mode = start && able(start) ? start : view.mode;
  return { ...view, mode: modes && !modes.includes(mode) ? (modes.find(able) ?? mode) : mode };
}

/** Returns what the first capture of the space shows; null where no start was found. */
export function subjectOf(space: Space): 'place' | 'object' | null {
  const start = firstCapture(space)?.file?.start;
  if (!start) return null;
  return start.scene === 'OBJECT' ? 'object' : 'place';
}

function firstCapture(space: Space): EntityRow | undefined {
  return space.entities.find((entity) => kindOf(entity) === 'capture' && entity.file?.start);
}

/** Returns the direction that is up in a capture, in the space, if the search for it was sure; otherwise null. */
export function foundUp(entity: EntityRow): Vec3 | null {
  const start = entity.file?.start;
  if (!start || start.certainty < certainUp) return null;
  return startToSpace(entity)
    .transformVector(new Vec3(...start.up))
    .normalize();
}

/** Reports whether people can walk where this direction is up. */
export function isUpright(up: Vec3): boolean {
  return up.y > uprightCosine;
}

/** Returns a view of a whole box that fills a picture with the shape of the scene. */
export function overview(box: BoundingBox, scene: HTMLElement, fieldOfView: number): View {
  const { eye, target } = frameBox(box, fieldOfView, scene.clientWidth / Math.max(1, scene.clientHeight));
  return lookAt('orbit', [eye.x, eye.y, eye.z], [target.x, target.y, target.z]);
}

/** Returns a view of everything that is shown; null while nothing is. */
export function overviewOfAll(items: readonly Item[], scene: HTMLElement, fieldOfView: number): View | null {
  const shown = items.flatMap((item) => (item.thing ? [{ kind: item.kind, node: item.thing.node }] : []));
  // Gates often stand far away from the main content of the space.
  const content = shown.filter(({ kind }) => kind !== 'gate');
  const bounds = sceneBounds(content.map(({ node }) => node)) ?? sceneBounds(largestCluster(shown.map(({ node }) => node)));
  return bounds && overview(bounds, scene, fieldOfView);
}

/** Reports whether the server doubts that the unit of a capture is the metre, and its owner has not scaled it. */
export function hasDoubtfulScale(entity: EntityRow): boolean {
  return entity.file?.start?.doubtfulScale === true && placementOf(entity.data).scale.every((factor) => factor === 1);
}

/** Reports whether there is, or will be, something to walk on. */
function walkable(space: Space): boolean {
  return hasRoom(space) || space.entities.some((entity) => kindOf(entity) === 'capture' && entity.file?.collisionUrl);
}

/** Reports whether the space has the room of a hub. */
export function hasRoom(space: Space): boolean {
  return space.space.type === 'HUB' && space.room.data['hideArchitecture'] !== true;
}

function fromRoom(space: Space): View | null {
  const start = object(space.room.data, 'start');
  const none: Triple = [NaN, NaN, NaN];
  const position = triple(start['position'], none);
  if (Number.isNaN(position[0])) return null;
  const target = triple(start['target'], [position[0], position[1], position[2] - 1]);
  // An owner who went around something lets visitors do so, too.
  const mode = start['mode'] === 'orbit' ? 'orbit' : start['mode'] !== 'fly' && walkable(space) ? 'walk' : 'fly';
  return lookAt(mode, position, target);
}

function fromSpawnPoint(space: Space): View | null {
  const { start, eyeHeight } = movementOf(space.room.data);
  const flag = start === 'fly' ? 'isDefaultFreeCam' : 'isDefaultThirdPerson';
  const spawns = space.entities.filter((entity) => kindOf(entity) === 'spawn' && !isHidden(entity));
  const spawn =
    spawns.find(({ data }) => data[flag] === true) ?? spawns.find(({ data }) => data['isDefaultThirdPerson'] === true) ?? spawns[0];
  if (!spawn) return null;
  const { data } = spawn;
  const [x, y, z] = placementOf(data).position;
  const mode = start !== 'fly' && walkable(space) ? 'walk' : 'fly';
  // The free camera records its own height, and its pitch.
  const isFree = data['capturedIn'] === 'freeCam';
  return {
    mode,
    eye: [x, isFree ? y : y + eyeHeight, z],
    yaw: yawOf(data),
    pitch: mode === 'fly' ? clamped(object(data, 'rotation')['x'], -89, 89, 0) : 0,
    distance: 5,
  };
}

/** Returns the direction of a spawn point in degrees: 180 where it says none, as other clients have it. */
function yawOf(data: Data): number {
  const { rotation } = data;
  if (Array.isArray(rotation)) return placementOf(data).rotation[1];
  return clamped(object(data, 'rotation')['y'], -1e6, 1e6, 180);
}

function fromCapture(space: Space): View | null {
  const capture = firstCapture(space);
  const start = capture?.file?.start;
  if (!capture || !start) return null;
  const toSpace = startToSpace(capture);
  const eye = toSpace.transformPoint(new Vec3(...start.position));
  const target = toSpace.transformPoint(new Vec3(...start.target));
  const upright = isUpright(toSpace.transformVector(new Vec3(...start.up)).normalize());
  // Among walls of a kilometre, people would look at the floor from a finger's breadth above it.
  const onFoot = start.scene !== 'OBJECT' && upright && walkable(space) && !hasDoubtfulScale(capture);
  const view = lookAt(onFoot ? 'walk' : 'orbit', [eye.x, eye.y, eye.z], [target.x, target.y, target.z]);
  // People who start to walk look ahead, not at the floor.
  return onFoot ? { ...view, pitch: Math.max(-20, Math.min(20, view.pitch)) } : view;
}

function fromHub(space: Space): View | null {
  return hasRoom(space) ? lookAt('walk', hubStart.eye, hubStart.target) : null;
}

/** Returns the transform from the coordinates of a capture's start to the space. */
function startToSpace(capture: EntityRow): Mat4 {
  const rotated = new Mat4();
  const { position, rotation, scale } = placementOf(capture.data);
  rotated.setFromEulerAngles(...rotation);
  const scaled = new Mat4().setScale(...scale);
  const world = new Mat4()
    .setTranslate(...position)
    .mul(rotated)
    .mul(scaled);
  return isYUp(capture) ? world : world.mul(halfTurn);
}
