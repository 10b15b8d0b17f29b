// The colour of a visitor, which is the same for all who see the visitor.

/** Returns the hue of an id in degrees. */
export function hueOf(id: string): number {
  let sum = 0;
  for (const character of id) sum = (sum * 31 + character.charCodeAt(0)) % 65_521;
  return sum % 360;
}
