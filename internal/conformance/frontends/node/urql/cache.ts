import { type Cache, cacheExchange, type CacheExchangeOpts } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';

import type { ResultOf, VariablesOf } from '../shared/graphql';
import {
  addEntity, createEntityMutation, deleteEntityMutation, entityFragment, moveEntityMutation, pendingId, removeEntity,
  spaceSubscription,
} from './entity';
import schema from './schema.json';
import { createSpaceMutation, firstPage, spacesQuery } from './spaces';

/** The types without an id: graphcache keeps their objects within the parent. */
const keys = Object.fromEntries(schema.__schema.types
  .filter((type) => 'fields' in type && !type.fields?.some(({ name }) => name === 'id'))
  .map(({ name }) => [name, () => null]));

type Creation = VariablesOf<typeof createEntityMutation>;
type Move = VariablesOf<typeof moveEntityMutation>;
type Deletion = VariablesOf<typeof deleteEntityMutation>;

/** What mutations and events change besides the objects that they return: lists. */
const updates: NonNullable<CacheExchangeOpts['updates']> = {
  Mutation: {
    createSpace(result: ResultOf<typeof createSpaceMutation>, _args: object, cache: Cache) {
      const space = result.createSpace?.space;
      if (!space) return;
      cache.updateQuery({ query: spacesQuery, variables: firstPage }, (list) => list?.spaces ? ({
        spaces: { ...list.spaces, edges: [{ __typename: 'SpaceEdge' as const, node: space }, ...list.spaces.edges] },
      }) : list);
    },
    createEntity(result: ResultOf<typeof createEntityMutation>, { input }: Creation, cache: Cache) {
      if (result.createEntity) addEntity(cache, input.spaceId, result.createEntity.entity);
    },
    deleteEntity(result: ResultOf<typeof deleteEntityMutation>, { input }: Deletion, cache: Cache) {
      if (result.deleteEntity) removeEntity(cache, input.spaceId!, result.deleteEntity.deletedEntityId);
    },
  },
  Subscription: {
    space({ space: event }: ResultOf<typeof spaceSubscription>, { id }: { id: string }, cache: Cache) {
      if (event.__typename === 'EntityCreated') addEntity(cache, id, event.entity);
      if (event.__typename === 'EntityDeleted') removeEntity(cache, id, event.deletedEntityId);
    },
  },
};

/** The answers that the cache shows until the server's own arrives. */
const optimistic: NonNullable<CacheExchangeOpts['optimistic']> = {
  createEntity: ({ input: { entityId, data } }: Creation) => ({
    __typename: 'CreateEntityPayload',
    entity: { __typename: 'Entity', id: pendingId(entityId!), entityId, data, version: 0 },
  }),
  updateEntity({ input: { entityId, data } }: Move, cache: Cache) {
    const entity = cache.readFragment(entityFragment, { __typename: 'Entity', id: entityId });
    return { __typename: 'UpdateEntityPayload', entity: { ...entity, data: { ...entity?.data, ...data } } };
  },
  deleteEntity: ({ input: { entityId } }: Deletion) => ({
    __typename: 'DeleteEntityPayload', deletedEntityId: entityId,
  }),
};

/** Returns the cache with the schema, so that it warns of documents that do not fit. */
export function newCache() {
  return cacheExchange({
    schema, keys, updates, optimistic,
    resolvers: { Query: { spaces: relayPagination() }, Space: { entities: relayPagination() } },
  });
}
