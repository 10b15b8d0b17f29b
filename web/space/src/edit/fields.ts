// The fields of an entity's data that hold its position, and how changes merge into them.

import { kindOf, object, placementOf } from '../entity.ts';
import type { Placement } from '../entity.ts';
import { gatePlacement } from '../scene/gate.ts';
import type { Data, EntityRow, Triple } from '../server/space.ts';

export type Part = keyof Placement;

export const parts: readonly Part[] = ['position', 'rotation', 'scale'];

const gateField = 'dynamicGate';

/** Decimals that are kept: a tenth of a millimetre, a thousandth of a degree. */
const precision: Record<Part, number> = { position: 1e4, rotation: 1e3, scale: 1e4 };

/** Reports whether the entity is at a post of the room, which owners cannot move. */
export function isFixed(entity: EntityRow): boolean {
  return entity.type === 'Gate';
}

export function placementOfEntity(entity: EntityRow): Placement {
  return kindOf(entity) === 'gate' ? gatePlacement(entity) : placementOf(entity.data);
}

/** Returns the change of data that places the entity. The form of what it has already is kept. */
export function placementChange(entity: EntityRow, part: Part, value: Triple): Data {
  const [x, y, z] = value.map((n) => Math.round(n * precision[part]) / precision[part] || 0) as [number, number, number];
  if (kindOf(entity) === 'gate') {
    return { [gateField]: { [part]: part === 'scale' ? { w: x, h: y } : { x, y, z } } };
  }
  const now = entity.data[part];
  const asObject = now && typeof now === 'object' ? !Array.isArray(now) : part === 'rotation';
  return { [part]: asObject ? { x, y, z } : [x, y, z] };
}

/** What fields mean that an entity does not have; others are empty texts. */
const absent: Data = { hidden: false, volume: 1 };

/** Merges a change into data as the server does: by field, and within dynamicGate by field again. */
export function merge(data: Data, change: Data): Data {
  const merged = { ...data, ...change };
  if (gateField in change && gateField in data) {
    merged[gateField] = { ...object(data, gateField), ...object(change, gateField) };
  }
  return merged;
}

/** Returns the values that the entity has now in the fields of a change. */
export function currentValues(entity: EntityRow, change: Data): Data {
  const now = placementOfEntity(entity);
  let values: Data = {};
  for (const part of parts) {
    if (part in change || part in object(change, gateField)) values = merge(values, placementChange(entity, part, now[part]));
  }
  for (const name of Object.keys(change))
    if (!parts.includes(name as Part) && name !== gateField) values = { ...values, [name]: entity.data[name] ?? absent[name] ?? '' };
  if ('hidden' in object(change, gateField)) values = merge(values, { [gateField]: { hidden: false } });
  // What is there keeps its form, to the last digit.
  return merge(values, overlap(entity.data, values));
}

/** Returns the values of data in the fields that another has, too. */
export function overlap(data: Data, fields: Data): Data {
  return Object.fromEntries(
    Object.keys(fields).flatMap((name): [string, unknown][] => {
      const value = data[name];
      if (value === undefined) return [];
      return [[name, name === gateField ? overlap(object(data, name), object(fields, name)) : value]];
    }),
  );
}

/** Returns the fields of a change that differ from the data. */
export function difference(data: Data, change: Data): Data {
  const differing = Object.entries(change).flatMap(([name, value]): [string, unknown][] => {
    if (name !== gateField) return same(data[name], value) ? [] : [[name, value]];
    const rest = difference(object(data, gateField), object(change, gateField));
    return isEmpty(rest) ? [] : [[name, rest]];
  });
  return Object.fromEntries(differing);
}

export function isEmpty(change: Data): boolean {
  return Object.keys(change).length === 0;
}

/** Compares JSON values; the order of the fields of objects does not matter. */
function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (!a || !b || typeof a !== 'object' || typeof b !== 'object' || Array.isArray(a) !== Array.isArray(b)) return false;
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => same((a as Record<string, unknown>)[name], (b as Record<string, unknown>)[name]));
}
