// The messages of plugins, read from JSON that the plugin of anybody may have written. The
// interface is documented in docs/plugins.md.

import type { Triple } from '../server/space.ts';

export const version = 1;

export type ShapeKind = 'box' | 'sphere' | 'cylinder' | 'cone' | 'text';

export interface Shape {
  kind: ShapeKind;
  position: Triple;
  rotation: Triple;
  scale: Triple;
  /** Red, green and blue from 0 to 1. */
  colour: Triple;
  text: string;
}

export interface PanelContent {
  title: string;
  text: string;
  buttons: { id: string; label: string }[];
}

export type Message =
  | { type: 'show'; shapes: Shape[] }
  | { type: 'move'; position?: Triple; rotation?: Triple; scale?: Triple }
  | { type: 'panel'; content: PanelContent | null };

const maxShapes = 32;
const maxButtons = 6;
/** The maximum distance from the origin and the maximum size, in metres. */
const maxDistance = 10_000;
const maxSize = 1000;
const shapeKinds: readonly unknown[] = ['box', 'sphere', 'cylinder', 'cone', 'text'] satisfies ShapeKind[];

type Fields = Readonly<Record<string, unknown>>;

/** Reads a message; null for anything that is none. */
export function readMessage(json: unknown): Message | null {
  if (typeof json !== 'string') return null;
  try {
    return message(JSON.parse(json));
  } catch {
    return null;
  }
}

function message(value: unknown): Message | null {
  const fields = fieldsOf(value);
  switch (fields?.['type']) {
    case 'show':
      return show(fields['shapes']);
    case 'move':
      return move(fields);
    case 'panel':
      return panel(fields['content']);
    default:
      return null;
  }
}

function fieldsOf(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}

function show(value: unknown): Message | null {
  if (!Array.isArray(value) || value.length > maxShapes) return null;
  const shapes = value.map(shape);
  return shapes.every((one) => one !== null) ? { type: 'show', shapes } : null;
}

function shape(value: unknown): Shape | null {
  const fields = fieldsOf(value);
  if (!fields || !shapeKinds.includes(fields['kind'])) return null;
  const position = triple(fields['position'] ?? [0, 0, 0], maxDistance);
  const rotation = triple(fields['rotation'] ?? [0, 0, 0], maxDistance);
  const scale = size(fields['scale'] ?? 1);
  const colour = triple(fields['colour'] ?? [1, 1, 1], 1);
  const line = text(fields['text'] ?? '', 200);
  if (!position || !rotation || !scale || !colour || line === null) return null;
  return { kind: fields['kind'] as ShapeKind, position, rotation, scale, colour, text: line };
}

function move(fields: Fields): Message | null {
  const moved: { -readonly [Key in 'position' | 'rotation' | 'scale']?: Triple } = {};
  for (const [name, read] of [
    ['position', triple],
    ['rotation', triple],
    ['scale', size],
  ] as const) {
    const value = fields[name];
    if (value === undefined) continue;
    const triplet = read(value, maxDistance);
    if (!triplet) return null;
    moved[name] = triplet;
  }
  return { type: 'move', ...moved };
}

function panel(value: unknown): Message | null {
  if (value === null) return { type: 'panel', content: null };
  const fields = fieldsOf(value);
  const list = fields?.['buttons'] ?? [];
  if (!fields || !Array.isArray(list) || list.length > maxButtons) return null;
  const title = text(fields['title'] ?? '', 100);
  const body = text(fields['text'] ?? '', 2000);
  const buttons = list.map((one) => {
    const button = fieldsOf(one);
    return { id: text(button?.['id'], 100), label: text(button?.['label'], 100) };
  });
  if (title === null || body === null || !complete(buttons)) return null;
  return { type: 'panel', content: { title, text: body, buttons } };
}

function complete(buttons: { id: string | null; label: string | null }[]): buttons is { id: string; label: string }[] {
  return buttons.every(({ id, label }) => id !== null && label !== null && label !== '');
}

function text(value: unknown, maxLength: number): string | null {
  return typeof value === 'string' && value.length <= maxLength ? value : null;
}

/** Reads three numbers from an array; null unless all are between -limit and limit. */
function triple(value: unknown, limit: number): Triple | null {
  if (!Array.isArray(value) || value.length !== 3) return null;
  const valid = value.every((one) => typeof one === 'number' && Math.abs(one) <= limit);
  return valid ? (value as unknown as Triple) : null;
}

/** Reads a size from one number or three, all above 0. */
function size(value: unknown): Triple | null {
  const sizes = triple(typeof value === 'number' ? [value, value, value] : value, maxSize);
  return sizes?.every((one) => one > 0) ? sizes : null;
}
