// The kind and the position of an entity, read from data that any client may have written.

import type { Data, EntityRow, Triple } from './server/space.ts';

export type Kind = 'capture' | 'model' | 'image' | 'video' | 'sound' | 'gate' | 'spawn' | 'plugin' | 'other';

/** A place, as the engine has it: metres and Euler angles in degrees. */
export interface Placement {
  position: Triple;
  rotation: Triple;
  scale: Triple;
}

const kinds: Record<string, Kind> = {
  ply: 'capture', sog: 'capture', spz: 'capture', splat: 'capture', ksplat: 'capture', lcc2: 'capture',
  glb: 'model', gltf: 'model',
  jpg: 'image', jpeg: 'image', png: 'image', gif: 'image', webp: 'image',
  mp4: 'video', webm: 'video',
  mp3: 'sound', ogg: 'sound', wav: 'sound',
  mjs: 'plugin',
};

/** The kinds of formats that the extension of a file does not tell. */
const formats: Record<string, Kind> = { STREAMED_SOG: 'capture', SOG: 'capture', MESH_PLY: 'other' };

const kindsOfTypes: Record<string, Kind> = { Gate: 'gate', DynamicGate: 'gate', SpawnPoint: 'spawn' };

/** Returns the last segment of an address, without query and fragment, decoded. */
export function fileName(address: string): string {
  const name = address.replace(/[?#].*$/, '').split('/').pop() ?? '';
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
  const list: unknown[] = Array.isArray(value) ? value
    : value && typeof value === 'object' ? [(value as Data)['x'], (value as Data)['y'], (value as Data)['z']] : [];
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
