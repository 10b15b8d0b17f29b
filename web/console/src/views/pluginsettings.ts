// The settings of a plugin, the field params of its entity, as the rows of a form.

export const kinds = ['text', 'number', 'switch', 'json'] as const;
export type Kind = (typeof kinds)[number];

/** One setting. What a number field or a text field holds is valid only with its kind. */
export interface Setting {
  name: string;
  kind: Kind;
  text: string;
  number: number | null;
  on: boolean;
}

export function newSetting(name: string, kind: Kind): Setting {
  return { name, kind, text: kind === 'json' ? '[]' : '', number: null, on: false };
}

/** Returns the rows of params. A value other than a text, a number or a switch is edited as JSON. */
export function settingsOf(params: unknown): Setting[] {
  if (typeof params !== 'object' || params === null || Array.isArray(params)) return [];
  return Object.entries(params as Record<string, unknown>).map(([name, value]) => {
    if (typeof value === 'string') return { ...newSetting(name, 'text'), text: value };
    if (typeof value === 'number') return { ...newSetting(name, 'number'), number: value };
    if (typeof value === 'boolean') return { ...newSetting(name, 'switch'), on: value };
    return { ...newSetting(name, 'json'), text: JSON.stringify(value, null, 2) };
  });
}

/** Reports whether a row has a value that can be stored. */
export function isValid({ kind, text, number }: Setting): boolean {
  if (kind === 'number') return number !== null;
  if (kind !== 'json') return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns the params of valid rows. */
export function paramsOf(settings: readonly Setting[]): Record<string, unknown> {
  return Object.fromEntries(
    settings.map(({ name, kind, text, number, on }) => [
      name,
      kind === 'text' ? text : kind === 'number' ? number : kind === 'switch' ? on : (JSON.parse(text) as unknown),
    ]),
  );
}
