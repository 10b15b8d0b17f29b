// What the table of a space says about an entity.

import { text } from '../i18n.svelte.ts';
import type { entityRow } from '../server/documents.ts';
import type { ResultOf } from '../server/graphql.ts';

export type Entity = ResultOf<typeof entityRow>;

const kinds = {
  UserModelEntity: 'entity.model', Gate: 'entity.gate', DynamicGate: 'entity.gate', Simple: 'entity.object',
} as const;

/** Returns the name that an entity has for people. */
export function nameOf({ data, file, entityId }: Entity): string {
  const names = [data['title'], data['name'], file?.name];
  return names.find((name): name is string => typeof name === 'string' && name !== '') ?? entityId;
}

/** Returns what an entity is, in words: its type where the console has no word for it. */
export function kindOf(entity: Entity): string {
  if (isPlugin(entity)) return text('entity.plugin');
  return entity.type in kinds ? text(kinds[entity.type as keyof typeof kinds]) : entity.type;
}

export function isGate({ type }: Entity): boolean { return type === 'Gate' || type === 'DynamicGate'; }

/** Reports whether an entity runs a plugin, as the page of the space decides it. */
export function isPlugin(entity: Entity): boolean {
  const address = entity.data['glbUrl'];
  return !isGate(entity) && typeof address === 'string' && /\.mjs$/i.test(address.replace(/[?#].*$/, ''));
}

/** Reports whether an entity can be removed and restored. The seven gates of a hub cannot be created again. */
export function isRemovable({ type }: Entity): boolean { return type !== 'Gate'; }
