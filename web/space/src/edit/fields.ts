// The fields of an entity's data that hold its position, and how changes merge into them.

import { kindOf, object, placementOf } from '../entity.ts';
import type { Placement } from '../entity.ts';
import { gatePlacement } from '../scene/gate.ts';
import type { Data, EntityRow, Triple } from '../server/space.ts';

export type Part = keyof Placement;

export const parts: readonly Part[] = ['position', 'rotation', 'scale'];

const gateField = 'dynamicGate';

/** The fields whose own fields are compared and merged one by one. The server merges only those of a gate. */
const nested: readonly string[] = [gateField, 'framePosteffectParams', 'vignette', 'skyGradient', 'movement'];

function isNested(name: string, value: unknown): value is Data {
  return nested.includes(name) && value !== null && typeof value === 'object' && !Array.isArray(value);
}

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

/** Merges a change into data: by field, and within some fields by field again. */
export function merge(data: Data, change: Data): Data {
  const merged: Record<string, unknown> = { ...data, ...change };
  for (const [name, value] of Object.entries(change)) {
    if (isNested(name, value) && name in data) merged[name] = { ...object(data, name), ...value };
  }
  return merged;
}

/** Returns a change as the server merges it: whole fields, except those of a gate. */
export function wholeFields(data: Data, change: Data): Data {
  const whole = Object.entries(change).map(([name, value]): [string, unknown] => [
    name,
    name !== gateField && isNested(name, value) ? { ...object(data, name), ...value } : value,
  ]);
  return Object.fromEntries(whole);
}

/** Returns the values that the entity has now in the fields of a change. */
export function currentValues(entity: EntityRow, change: Data): Data {
  const now = placementOfEntity(entity);
  let values: Data = {};
  for (const part of parts) {
    if (part in change || part in object(change, gateField)) values = merge(values, placementChange(entity, part, now[part]));
  }
  for (const [name, value] of Object.entries(change)) {
    if (parts.includes(name as Part) || name === gateField) continue;
    const before = object(entity.data, name);
    values = isNested(name, value)
      ? { ...values, [name]: Object.fromEntries(Object.keys(value).map((field) => [field, before[field] ?? null])) }
      : { ...values, [name]: entity.data[name] ?? absent[name] ?? '' };
  }
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
      return [[name, isNested(name, fields[name]) ? overlap(object(data, name), fields[name]) : value]];
    }),
  );
}

/** Returns the fields of a change that differ from the data. */
export function difference(data: Data, change: Data): Data {
  const differing = Object.entries(change).flatMap(([name, value]): [string, unknown][] => {
    if (!isNested(name, value)) return same(data[name], value) ? [] : [[name, value]];
    const rest = difference(object(data, name), value);
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
