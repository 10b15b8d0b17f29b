import type { ApolloCache, ApolloClient } from '@apollo/client';

import { graphql, type ResultOf } from '../shared/graphql';
import { moved, positionOf } from '../shared/json';

export const entityFragment = graphql('fragment Entity on Entity { __typename id entityId data version }');

type Entity = ResultOf<typeof entityFragment>;

/** The fields of the query and of the snapshot, so that a snapshot replaces the list of entities. */
export const spaceFragment = graphql(`
  fragment Space on Space {
    id
    title
    entities(first: 100) { edges { cursor node { ...Entity } } pageInfo { hasNextPage endCursor } }
  }
`, [entityFragment]);

export const spaceQuery = graphql('query Space($id: ID!) { space(id: $id) { ...Space } }', [spaceFragment]);

const createMutation = graphql(`
  mutation CreateEntity($input: CreateEntityInput!) {
    createEntity(input: $input) { __typename entity { ...Entity } }
  }
`, [entityFragment]);

const moveMutation = graphql(`
  mutation MoveEntity($input: UpdateEntityInput!) {
    updateEntity(input: $input) { __typename entity { __typename id data version } }
  }
`);

const deleteMutation = graphql(`
  mutation DeleteEntity($input: DeleteEntityInput!) {
    deleteEntity(input: $input) { __typename deletedEntityId }
  }
`);

/** Changes the list of entities of a space, if the cache has it. */
function updateList(cache: ApolloCache, spaceId: string, change: (list: readonly Entity[]) => readonly Entity[]): void {
  cache.updateQuery({ query: spaceQuery, variables: { id: spaceId } }, (data) => {
    if (!data?.space) return undefined;
    const { entities } = data.space;
    const edges = change(entities.edges.map(({ node }) => node)).map((node) => ({ cursor: '', node }));
    return { space: { ...data.space, entities: { ...entities, edges } } };
  });
}

/** Adds an entity to the list of its space, unless the list has it. */
export function addEntity(cache: ApolloCache, spaceId: string, entity: Entity): void {
  updateList(cache, spaceId, (list) => (list.some(({ id }) => id === entity.id) ? list : [...list, entity]));
}

/** Removes an entity from the list of its space. Optimistic updates cannot evict it from the cache. */
export function removeEntity(cache: ApolloCache, spaceId: string, entityId: string): void {
  updateList(cache, spaceId, (list) => list.filter(({ id }) => id !== entityId));
}

/** Creates an entity. It is in the list at once, and is rolled back when the server refuses. */
export function createEntity(client: ApolloClient, spaceId: string, entityId: string) {
  const data = { position: [0, 0, 0] };
  const entity = { __typename: 'Entity' as const, id: crypto.randomUUID(), entityId, data, version: 0 };
  return client.mutate({
    mutation: createMutation,
    variables: { input: { spaceId, entityId, data, mustBeNew: true } },
    optimisticResponse: { createEntity: { __typename: 'CreateEntityPayload', entity } },
    update: (cache, { data: result }) => { if (result?.createEntity) addEntity(cache, spaceId, result.createEntity.entity); },
  });
}

/** Moves an entity, unless it has changed since it was shown. */
export function moveEntity(client: ApolloClient, { id, data, version }: Pick<Entity, 'id' | 'data' | 'version'>) {
  const position = moved(positionOf(data));
  const entity = { __typename: 'Entity' as const, id, data: { ...data, position }, version };
  return client.mutate({
    mutation: moveMutation,
    variables: { input: { entityId: id, data: { position }, expectedVersion: version } },
    optimisticResponse: { updateEntity: { __typename: 'UpdateEntityPayload', entity } },
  });
}

/** Deletes an entity. It leaves the list at once, and is rolled back when the server refuses. */
export function deleteEntity(client: ApolloClient, spaceId: string, id: string) {
  return client.mutate({
    mutation: deleteMutation,
    variables: { input: { entityId: id } },
    optimisticResponse: { deleteEntity: { __typename: 'DeleteEntityPayload', deletedEntityId: id } },
    update: (cache, { data }) => { if (data?.deleteEntity) removeEntity(cache, spaceId, data.deleteEntity.deletedEntityId); },
  });
}
