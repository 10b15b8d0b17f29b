// What the table of a space says about an entity.

import { text } from '../i18n.svelte.ts';
import type { entityRow } from '../server/documents.ts';
import type { ResultOf } from '../server/graphql.ts';

export type Entity = ResultOf<typeof entityRow>;

/** What of an entity says what it is. */
type Described = Pick<Entity, 'entityId' | 'type' | 'data' | 'file'>;

const kinds = {
  UserModelEntity: 'entity.model',
  Gate: 'entity.gate',
  DynamicGate: 'entity.gate',
  Simple: 'entity.object',
} as const;

/** The kinds that the page of a space finds by the extension of the address. */
const kindsByExtension = [
  [/\.(jpe?g|png|gif|webp)$/i, 'entity.picture'],
  [/\.(mp4|webm)$/i, 'entity.video'],
  [/\.(mp3|ogg|wav)$/i, 'entity.sound'],
  [/\.mjs$/i, 'entity.plugin'],
] as const;

/** Returns the title, the name or the name of the file of an entity; its id if it has none of them. */
export function nameOf({ data, file, entityId }: Described): string {
  const names = [data['title'], data['name'], file?.name];
  return names.find((name): name is string => typeof name === 'string' && name !== '') ?? entityId;
}

/** Returns what an entity is, in words: its type where the console has no word for it. */
export function kindOf(entity: Described): string {
  if (!isGate(entity) && entity.file?.facts?.__typename === 'GaussianFacts') return text('entity.capture');
  const kind = kindByExtension(entity);
  if (kind) return text(kind);
  return entity.type in kinds ? text(kinds[entity.type as keyof typeof kinds]) : entity.type;
}

export function isGate({ type }: Described): boolean {
  return type === 'Gate' || type === 'DynamicGate';
}

/** Reports whether an entity runs a plugin, as the page of the space decides it. */
export function isPlugin(entity: Entity): boolean {
  return kindByExtension(entity) === 'entity.plugin';
}

/** Returns the kind of what an entity shows; undefined for gates, and where the extension says nothing. */
function kindByExtension(entity: Described) {
  const address = entity.data['glbUrl'];
  if (isGate(entity) || typeof address !== 'string') return undefined;
  const path = address.replace(/[?#].*$/, '');
  return kindsByExtension.find(([extension]) => extension.test(path))?.[1];
}

/** Reports whether an entity can be removed and restored. The seven gates of a hub cannot be created again. */
export function isRemovable({ type }: Entity): boolean {
  return type !== 'Gate';
}
