import type { Cache } from '@urql/exchange-graphcache';

import { graphql, type ResultOf } from '../shared/graphql';

export const entityFragment = graphql('fragment Entity on Entity { __typename id entityId data version }');

type Entity = ResultOf<typeof entityFragment>;

/** The fields of the query and of the snapshot, so that a snapshot replaces the list of entities. */
const spaceFragment = graphql(`
  fragment Space on Space {
    __typename
    id
    title
    entities(first: 100) { __typename edges { __typename node { ...Entity } } }
  }
`, [entityFragment]);

export const spaceQuery = graphql('query Space($id: ID!) { space(id: $id) { ...Space } }', [spaceFragment]);

export const spaceSubscription = graphql(`
  subscription SpaceEvents($id: ID!) {
    space(id: $id) {
      __typename
      ... on SpaceSnapshot { space { ...Space } }
      ... on SpaceChanged { space { id title } }
      ... on EntityCreated { entity { ...Entity } }
      ... on EntityChanged { entity { ...Entity } }
      ... on EntityDeleted { deletedEntityId }
    }
  }
`, [spaceFragment, entityFragment]);

export const createEntityMutation = graphql(`
  mutation CreateEntity($input: CreateEntityInput!) {
    createEntity(input: $input) { entity { ...Entity } }
  }
`, [entityFragment]);

export const moveEntityMutation = graphql(`
  mutation MoveEntity($input: UpdateEntityInput!) {
    updateEntity(input: $input) { entity { id data version } }
  }
`);

export const deleteEntityMutation = graphql(`
  mutation DeleteEntity($input: DeleteEntityInput!) {
    deleteEntity(input: $input) { deletedEntityId }
  }
`);

/** Changes the list of entities of a space, if the cache has it. */
function updateList(cache: Cache, spaceId: string, change: (list: readonly Entity[]) => readonly Entity[]): void {
  cache.updateQuery({ query: spaceQuery, variables: { id: spaceId } }, (data) => {
    if (!data?.space) return data;
    const { entities } = data.space;
    const edges = change(entities.edges.map(({ node }) => node)).map((node) => ({ __typename: 'EntityEdge' as const, node }));
    return { space: { ...data.space, entities: { ...entities, edges } } };
  });
}

/** Returns the id of an entity that the server has not created yet. */
export const pendingId = (entityId: string): string => `pending:${entityId}`;

/**
 * Adds an entity to the list of its space, unless the list has it, in place of the pending one
 * with its name: graphcache reads optimistic lists even when it writes what the server sends.
 */
export function addEntity(cache: Cache, spaceId: string, entity: Entity): void {
  const replaced = [entity.id, pendingId(entity.entityId)];
  updateList(cache, spaceId, (list) => [...list.filter(({ id }) => !replaced.includes(id)), entity]);
}

/** Removes an entity from the list of its space. */
export function removeEntity(cache: Cache, spaceId: string, entityId: string): void {
  updateList(cache, spaceId, (list) => list.filter(({ id }) => id !== entityId));
}
