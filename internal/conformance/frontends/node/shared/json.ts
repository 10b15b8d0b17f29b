/** A JSON object whose meaning is up to clients: the scalar JSON of the schema. */
export type JSONObject = { readonly [name: string]: unknown };

/** Where an entity is: x, y, z. */
export type Position = readonly [number, number, number];

const isPosition = (value: unknown): value is Position => (
  Array.isArray(value) && value.length === 3 && value.every((n) => typeof n === 'number')
);

/** Returns the position in the data of an entity, the origin where it has none. */
export function positionOf(data: JSONObject): Position {
  return isPosition(data.position) ? data.position : [0, 0, 0];
}

/** Returns the position a metre further along x. */
export const moved = ([x, y, z]: Position): Position => [x + 1, y, z];
