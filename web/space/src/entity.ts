// The kind and the position of an entity, read from data that any client may have written.

import type { Data, EntityRow, Triple } from './server/space.ts';

export type Kind =
  | 'capture'
  | 'model'
  | 'image'
  | 'video'
  | 'sound'
  | 'gate'
  | 'spawn'
  | 'plugin'
  | 'annotation'
  | 'tour'
  | 'path'
  | 'measurement'
  | 'other';

/** A place, as the engine has it: metres and Euler angles in degrees. */
export interface Placement {
  position: Triple;
  rotation: Triple;
  scale: Triple;
}

const kinds: Record<string, Kind> = {
  ply: 'capture',
  sog: 'capture',
  spz: 'capture',
  splat: 'capture',
  ksplat: 'capture',
  lcc2: 'capture',
  glb: 'model',
  gltf: 'model',
  jpg: 'image',
  jpeg: 'image',
  png: 'image',
  gif: 'image',
  webp: 'image',
  mp4: 'video',
  webm: 'video',
  mp3: 'sound',
  ogg: 'sound',
  wav: 'sound',
  mjs: 'plugin',
  path: 'path',
};

/** The kinds of formats that the extension of a file does not tell. */
const formats: Record<string, Kind> = { STREAMED_SOG: 'capture', SOG: 'capture', MESH_PLY: 'model' };

/** The extensions of captures and models that no part of the page reads. */
const unread = [
  'zip',
  '7z',
  'rar',
  'obj',
  'fbx',
  'usd',
  'usda',
  'usdc',
  'usdz',
  'stl',
  'dae',
  '3ds',
  'blend',
  'las',
  'laz',
  'e57',
  'pcd',
  'xyz',
  'rad',
  'lcc',
];

const kindsOfTypes: Record<string, Kind> = {
  Gate: 'gate',
  DynamicGate: 'gate',
  SpawnPoint: 'spawn',
  AnnotationEntity: 'annotation',
  TourEntity: 'tour',
  MeasurementEntity: 'measurement',
};

/** The kinds that guide visitors, and have nothing in the scene of their own. */
export const guiding: readonly Kind[] = ['annotation', 'tour', 'path'];

/** Returns the last segment of an address, without query and fragment, decoded. */
export function fileName(address: string): string {
  const name =
    address
      .replace(/[?#].*$/, '')
      .split('/')
      .pop() ?? '';
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function extension(address: string): string {
  const name = fileName(address).toLowerCase();
  return name.includes('.') ? (name.split('.').pop() ?? '') : '';
}

/** Returns the address of what the entity shows; empty where it shows no file of this server. */
export function contentAddress(entity: EntityRow): string {
  return entity.file?.viewUrl ?? entity.readUrl ?? '';
}

export function kindOf(entity: EntityRow): Kind {
  const kind = kindsOfTypes[entity.type];
  if (kind) return kind;
  // A glTF has Gaussians, meshes, or nothing to see.
  if (entity.file?.facts?.splats) return 'capture';
  const original = entity.file?.readUrl ?? entity.readUrl ?? text(entity.data, 'glbUrl');
  return formats[entity.file?.facts?.format ?? ''] ?? kinds[extension(original)] ?? byName(original);
}

function byName(address: string): Kind {
  return ['lod-meta.json', 'meta.json'].includes(fileName(address).toLowerCase()) ? 'capture' : 'other';
}

/** Reports whether the engine reads the capture at this address. */
export function isDrawable(address: string): boolean {
  return ['lod-meta.json', 'meta.json'].includes(fileName(address)) || ['sog', 'ply'].includes(extension(address));
}

/** Captures up to this size in bytes are drawn as they are until their view is made. */
const smallCapture = 8e6;

/**
 * Reports whether an entity is to be shown by a view that the server still makes. A large file
 * takes most of a minute to load, and gigabytes of memory.
 */
export function awaitsView(entity: EntityRow): boolean {
  const { file } = entity;
  if (kindOf(entity) !== 'capture' || !file || file.size <= smallCapture) return false;
  return file.preparation.some(({ step, state }) => state === 'PENDING' && (step === 'VIEW' || step === 'FACTS'));
}

/** Why a file cannot be shown: a message, and what the server says about it. */
export interface Reason {
  key: 'becauseDamaged' | 'becauseView' | 'becausePoints' | 'becauseKind' | 'becauseLoad';
  detail: string;
}

/** Reports whether the mesh of a PLY is to be shown by a glTF that the server still makes. */
export function awaitsMesh({ file }: EntityRow): boolean {
  return file?.facts?.format === 'MESH_PLY' && extension(file.viewUrl) !== 'glb';
}

/** Returns why nothing can be shown of an entity, as far as it is known before it is loaded; null for nothing. */
export function whyUnseen(entity: EntityRow): Reason | null {
  const { file } = entity;
  if (!file) return null;
  if (file.facts?.format === 'INVALID') return { key: 'becauseDamaged', detail: file.facts.fault ?? '' };
  if (file.facts?.format === 'MESH_PLY' && !file.facts.triangles) return { key: 'becausePoints', detail: '' };
  const view = file.preparation.find(({ step, state }) => step === 'VIEW' && state === 'FAILED');
  if (view && (awaitsMesh(entity) || (kindOf(entity) === 'capture' && !isDrawable(contentAddress(entity)))))
    return { key: 'becauseView', detail: view.message };
  if (kindOf(entity) === 'other' && unread.includes(extension(file.name))) return { key: 'becauseKind', detail: '' };
  return null;
}

/** Reports whether the Gaussians of an entity have y up without a rotation, as glTF demands. */
export function isYUp(entity: EntityRow): boolean {
  return ['GLB', 'GLTF'].includes(entity.file?.facts?.format ?? '');
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** Reads three numbers from an array, from an object with x, y and z, or from one number. */
export function triple(value: unknown, otherwise: Triple): Triple {
  if (isNumber(value)) return [value, value, value];
  const list: unknown[] = Array.isArray(value)
    ? value
    : value && typeof value === 'object'
      ? [(value as Data)['x'], (value as Data)['y'], (value as Data)['z']]
      : [];
  const [x, y, z] = list;
  return isNumber(x) && isNumber(y) && isNumber(z) ? [x, y, z] : otherwise;
}

export function text(data: Data, name: string): string {
  const value = data[name];
  return typeof value === 'string' ? value : '';
}

export function number(data: Data, name: string, otherwise: number): number {
  const value = data[name];
  return isNumber(value) ? value : otherwise;
}

/** Returns the object in a field; an empty one where the field has none. */
export function object(data: Data, name: string): Data {
  const value = data[name];
  return value && typeof value === 'object' && !Array.isArray(value) ? (value as Data) : {};
}

export function isHidden(entity: EntityRow): boolean {
  return entity.data['hidden'] === true || object(entity.data, 'dynamicGate')['hidden'] === true;
}

export function placementOf(data: Data): Placement {
  return {
    position: triple(data['position'], [0, 0, 0]),
    rotation: triple(data['rotation'], [0, 0, 0]),
    scale: triple(data['scale'], [1, 1, 1]),
  };
}

/** Returns the first name in the data of an entity, or the name of its file, or its id. */
export function nameOf(entity: EntityRow): string {
  for (const field of ['title', 'displayName', 'label', 'name']) {
    const name = text(entity.data, field).trim();
    if (name) return name;
  }
  return entity.file?.name ?? entity.entityId;
}
