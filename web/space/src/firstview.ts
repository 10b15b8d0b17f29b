// The view with which a visit starts.

import { Mat4, Vec3 } from 'playcanvas';
import type { BoundingBox } from 'playcanvas';
import { isYUp, kindOf, object, placementOf, triple } from './entity.ts';
import { lookAt } from './move/controls.ts';
import { eyeHeight } from './move/walker.ts';
import { frameBox, largestCluster, sceneBounds } from './scene/bounds.ts';
import { hubStart } from './scene/hub.ts';
import { fieldOfView } from './scene/stage.ts';
import type { Item } from './scene/item.ts';
import type { EntityRow, Space, Triple } from './server/space.ts';
import type { View } from './view.ts';

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
  return fromRoom(space) ?? fromSpawnPoint(space) ?? fromCapture(space) ?? fromHub(space);
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
export function overview(box: BoundingBox, scene: HTMLElement): View {
  const { eye, target } = frameBox(box, fieldOfView, scene.clientWidth / Math.max(1, scene.clientHeight));
  return lookAt('orbit', [eye.x, eye.y, eye.z], [target.x, target.y, target.z]);
}

/** Returns a view of everything that is shown; null while nothing is. */
export function overviewOfAll(items: readonly Item[], scene: HTMLElement): View | null {
  const shown = items.flatMap((item) => (item.thing ? [{ kind: item.kind, node: item.thing.node }] : []));
  // Gates often stand far away from the main content of the space.
  const content = shown.filter(({ kind }) => kind !== 'gate');
  const bounds = sceneBounds(content.map(({ node }) => node)) ?? sceneBounds(largestCluster(shown.map(({ node }) => node)));
  return bounds && overview(bounds, scene);
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
  return space.space.type === 'HUB' && space.room['hideArchitecture'] !== true;
}

function fromRoom(space: Space): View | null {
  const start = object(space.room, 'start');
  const none: Triple = [NaN, NaN, NaN];
  const position = triple(start['position'], none);
  if (Number.isNaN(position[0])) return null;
  const target = triple(start['target'], [position[0], position[1], position[2] - 1]);
  // An owner who went around something lets visitors do so, too.
  const mode = start['mode'] === 'orbit' ? 'orbit' : start['mode'] !== 'fly' && walkable(space) ? 'walk' : 'fly';
  return lookAt(mode, position, target);
}

function fromSpawnPoint(space: Space): View | null {
  const spawn = space.entities.find((entity) => kindOf(entity) === 'spawn');
  if (!spawn) return null;
  const {
    position: [x, y, z],
    rotation,
  } = placementOf(spawn.data);
  return {
    mode: walkable(space) ? 'walk' : 'fly',
    eye: [x, y + eyeHeight, z],
    yaw: rotation[1],
    pitch: 0,
    distance: 5,
  };
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
