// Moves what stands in a capture together with it, in one change of the space.

import { Vec3 } from 'playcanvas';
import type { Entity } from 'playcanvas';
import { object, triple } from '../entity.ts';
import { sceneBounds } from '../scene/bounds.ts';
import { run } from '../server/graphql.ts';
import type { Data, Triple } from '../server/space.ts';

/** Returns where a place is afterwards. */
export type Move = (place: Triple) => Triple;

/** What the server has of an entity, as a file. */
interface File {
  id: string;
  type: string;
  data: Data;
}

const exportDocument = `
  query Export($id: ID!) { exportSpace(spaceId: $id) { files { path sha256 content } } }`;

const applyDocument = `
  mutation Apply($in: ApplyChangesInput!) { applyChanges(input: $in) { noChanges } }`;

const none: Triple = [NaN, NaN, NaN];
const room = 'space/room.json';

/**
 * Changes fields of a capture, and moves annotations, measurements, spawn points, the views of tours and the
 * border that are in it: all of it or nothing. A change that another editor makes meanwhile is refused.
 */
export async function changeWithContent(
  spaceId: string,
  capture: string,
  change: Data,
  move: Move,
  isInside: (place: Triple) => boolean,
): Promise<void> {
  const exported = await run<{ exportSpace: { files: { path: string; sha256: string; content: string | null }[] } }>(exportDocument, {
    id: spaceId,
  });
  const changed = exported.exportSpace.files.flatMap(({ path, sha256, content }) => {
    if (!/^space\/(entities\/.*|room)\.json$/.test(path) || content === null) return [];
    const file = JSON.parse(content) as File;
    if (!file.data) return [];
    const data = path === `space/entities/${capture}.json` ? { ...file.data, ...change } : carried(file, path === room, move, isInside);
    return data === file.data ? [] : [{ path, sha256, content: JSON.stringify({ ...file, data }) }];
  });
  const input = {
    spaceId,
    puts: changed.map(({ path, content }) => ({ path, content })),
    expected: changed.map(({ path, sha256 }) => ({ path, sha256 })),
  };
  await run(applyDocument, { in: input });
}

/** Returns the data of an entity, or of the settings of the space, that is moved; the same data where nothing moves. */
export function carried(
  { type, data }: Pick<File, 'type' | 'data'>,
  isRoom: boolean,
  move: Move,
  isInside: (place: Triple) => boolean,
): Data {
  if (isRoom) return withBorder(data, move, isInside);
  switch (type) {
    case 'AnnotationEntity':
      return isInside(triple(data['position'], none)) ? withCamera(withPlace(data, 'position', move), move) : data;
    case 'SpawnPoint':
      return isInside(triple(data['position'], none)) ? withPlace(data, 'position', move) : data;
    case 'MeasurementEntity':
      return withPlaces(data, 'points', move, isInside);
    case 'TourEntity':
      return withStops(data, move, isInside);
    default:
      return data;
  }
}

/** Keeps the form of what is there: an array, or an object with x, y and z. */
function withPlace(data: Data, name: string, move: Move): Data {
  const before = triple(data[name], none);
  if (Number.isNaN(before[0])) return data;
  const [x, y, z] = move(before);
  return { ...data, [name]: Array.isArray(data[name]) ? [x, y, z] : { ...object(data, name), x, y, z } };
}

function withCamera(data: Data, move: Move): Data {
  const camera = object(data, 'camera');
  if (Object.keys(camera).length === 0) return data;
  if ('initial' in camera) return { ...data, camera: { ...camera, initial: withView(object(camera, 'initial'), move) } };
  return { ...data, camera: withView(camera, move) };
}

const withView = (view: Data, move: Move): Data => withPlace(withPlace(view, 'position', move), 'target', move);

function withPlaces(data: Data, name: string, move: Move, isInside: (place: Triple) => boolean): Data {
  const places = Array.isArray(data[name]) ? (data[name] as unknown[]) : [];
  if (places.length === 0 || !places.every((place) => isInside(triple(place, none)))) return data;
  return { ...data, [name]: places.map((place) => withPlace({ place }, 'place', move)['place']) };
}

function withStops(data: Data, move: Move, isInside: (place: Triple) => boolean): Data {
  if (!Array.isArray(data['stops'])) return data;
  const stops = (data['stops'] as unknown[]).map((stop) => {
    const one = object({ stop }, 'stop');
    const camera = object(one, 'camera');
    const view = 'initial' in camera ? object(camera, 'initial') : camera;
    return isInside(triple(view['position'], none)) ? withCamera(one, move) : stop;
  });
  return stops.some((stop, i) => stop !== (data['stops'] as unknown[])[i]) ? { ...data, stops } : data;
}

function withBorder(data: Data, move: Move, isInside: (place: Triple) => boolean): Data {
  const movement = object(data, 'movement');
  const moved = withPlaces(movement, 'border', move, isInside);
  return moved === movement ? data : { ...data, movement: moved };
}

/** Reports which places are in a capture: all of them where there is no other. */
export function insideOf(node: Entity | null, captures: number): (place: Triple) => boolean {
  const box = captures > 1 && node ? sceneBounds([node]) : null;
  return (place) => place.every(Number.isFinite) && (!box || box.containsPoint(new Vec3(...place)));
}

/** Returns the move by a factor around a place. */
export function scaleAround(centre: Triple, factor: number): Move {
  return (place) => place.map((value, axis) => Number((centre[axis]! + (value - centre[axis]!) * factor).toFixed(4))) as unknown as Triple;
}
