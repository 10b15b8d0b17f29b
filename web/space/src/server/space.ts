// The space as the server describes it.

import { run } from './graphql.ts';

export type Data = Readonly<Record<string, unknown>>;
export type Triple = readonly [number, number, number];

/** The first view of a capture, in the coordinates of SuperSplat's viewer. */
export interface Start {
  position: Triple;
  target: Triple;
  up: Triple;
  /** How sure the search for up is, from 0 to 1. */
  certainty: number;
  doubtfulScale: boolean;
  scene: 'INDOOR' | 'OUTDOOR' | 'OBJECT';
}

export interface FileRow {
  /** Empty for a file that is not of a server of spaces. */
  id: string;
  resourceKey: string;
  name: string;
  viewUrl: string;
  readUrl: string;
  posterUrl: string | null;
  collisionUrl: string | null;
  attribution: string | null;
  start: Start | null;
  facts: { format: string; splats?: number; triangles?: number; fault?: string } | null;
  /** In bytes. */
  size: number;
  /** What the server makes of the file in the background. */
  preparation: readonly { step: string; state: 'PENDING' | 'READY' | 'FAILED'; message: string }[];
}

export interface EntityRow {
  id: string;
  entityId: string;
  type: string;
  version: number;
  /** RFC 3339; empty for an entity that the server has not stored yet. */
  createdAt: string;
  data: Data;
  readUrl: string | null;
  file: FileRow | null;
}

/**
 * Reports whether this is an older state of an entity than another. An entity that was deleted and
 * created again starts at version 1, with a later time of creation.
 */
export function isOlder(entity: EntityRow, other: EntityRow): boolean {
  return entity.createdAt === other.createdAt ? entity.version < other.version : entity.createdAt < other.createdAt;
}

export interface SpaceRow {
  id: string;
  spaceId: string;
  title: string;
  type: 'INFINITE' | 'HUB';
  privacy: 'PUBLIC' | 'PRIVATE' | 'LINK_ONLY';
  /** Whether plugins run for this visitor. */
  runsPlugins: boolean;
  viewerIsOwner: boolean;
  /** What the share link allows by which the visitor has come; null without one. */
  viewerShareLink?: { allowsDownload: boolean; allowsMeasuring: boolean } | null;
  /** Whether visitors see each other. */
  presence: boolean;
  lock: SpaceLock | null;
}

/** An editor that alone may change what is in the space, until a time. */
export interface SpaceLock {
  name: string;
  /** RFC 3339. */
  until: string;
}

/** What is known of a space when the page opens it. */
export interface Space {
  space: SpaceRow;
  entities: EntityRow[];
  /** The internal entity RoomInfo. */
  room: EntityRow;
}

export const fileFields = `
  id resourceKey name viewUrl readUrl posterUrl collisionUrl attribution
  start { position target up certainty doubtfulScale scene }
  facts { format ... on GaussianFacts { splats } ... on MeshFacts { splats triangles } ... on DamagedFacts { fault } }
  size preparation { step state message }`;

export const entityFields = `
  fragment EntityFields on Entity { id entityId type version createdAt data readUrl file { ${fileFields} } }`;

const spaceFields =
  'id spaceId title type privacy runsPlugins viewerIsOwner viewerShareLink { allowsDownload allowsMeasuring } presence lock { name until }';

const spaceDocument = `
  query Space($id: ID!, $after: String) {
    space(id: $id) {
      ${spaceFields}
      entities(first: 200, after: $after) { nodes { ...EntityFields } pageInfo { hasNextPage endCursor } }
    }
    room: entity(spaceId: $id, entityId: "RoomInfo") { ...EntityFields }
  }${entityFields}`;

const entityDocument = `
  query Entity($id: ID!, $entity: ID!) {
    entity(spaceId: $id, entityId: $entity) { ...EntityFields }
  }${entityFields}`;

const previewDocument = `
  query Preview($id: ID!) {
    space(id: $id) { title posters { url width } }
  }`;

export const eventsDocument = `
  subscription Space($id: ID!) {
    space(id: $id) {
      __typename
      ... on SpaceChanged { space { ${spaceFields} } }
      ... on EntityCreated { entity { ...EntityFields } }
      ... on EntityChanged { entity { ...EntityFields } }
      ... on EntityDeleted { entityId }
      ... on RoomChanged { room { ...EntityFields } }
    }
  }${entityFields}`;

const visitDocument = 'mutation Visit($id: ID!) { recordVisit(input: { spaceId: $id }) { space { id } } }';

interface EntityPage {
  space:
    | (SpaceRow & {
        entities: { nodes: EntityRow[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } };
      })
    | null;
  room: EntityRow | null;
}

/** Returns the settings of a space that has none. */
export function noRoom(): EntityRow {
  return { id: '', entityId: 'RoomInfo', type: 'Simple', version: 0, createdAt: '', data: {}, readUrl: null, file: null };
}

/**
 * Reads a space with all its entities; null where the visitor may not open it. It reads page by page,
 * 200 entities at a time, the maximum of the server.
 */
export async function loadSpace(id: string): Promise<Space | null> {
  const entities: EntityRow[] = [];
  let after: string | null = null;
  for (;;) {
    const page: EntityPage = await run<EntityPage>(spaceDocument, { id, after });
    if (!page.space) return null;
    const { entities: list, ...space } = page.space;
    entities.push(...list.nodes);
    if (!list.pageInfo.hasNextPage) return { space, entities, room: page.room ?? noRoom() };
    after = list.pageInfo.endCursor;
  }
}

/** Counts the visit. A visit that is not counted does not matter to the visitor. */
export function recordVisit(id: string): void {
  run(visitDocument, { id }).catch(() => {});
}

/** Reads one entity; null where it is gone. */
export async function loadEntity(id: string, entity: string): Promise<EntityRow | null> {
  return (await run<{ entity: EntityRow | null }>(entityDocument, { id, entity })).entity;
}

/** The width in pixels of a poster that is sharp enough for a gate. */
const posterWidth = 640;

/** Reads what a gate shows of the space behind it; null where the visitor may not open it. */
export async function loadPreview(id: string): Promise<{ title: string; poster: string | null } | null> {
  interface Preview {
    space: { title: string; posters: { url: string; width: number }[] } | null;
  }
  const { space } = await run<Preview>(previewDocument, { id });
  if (!space) return null;
  const poster = space.posters.find(({ width }) => width >= posterWidth) ?? space.posters.at(-1);
  return { title: space.title, poster: poster?.url ?? null };
}
