import { useApolloClient, useQuery, useSubscription } from '@apollo/client/react';
import { useState } from 'react';

import { graphql } from '../shared/graphql';
import { positionOf } from '../shared/json';
import { SpaceView } from '../shared/SpaceView';
import { textOf } from './client';
import {
  addEntity, createEntity, deleteEntity, entityFragment, moveEntity, removeEntity, spaceFragment, spaceQuery,
} from './entity';

const spaceSubscription = graphql(`
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

/** Keeps a space and its entities in the cache up to date. */
function useSpaceEvents(id: string): void {
  useSubscription(spaceSubscription, {
    variables: { id },
    onData({ client: { cache }, data: { data } }) {
      const event = data?.space;
      if (event?.__typename === 'EntityCreated') addEntity(cache, id, event.entity);
      if (event?.__typename === 'EntityDeleted') removeEntity(cache, id, event.deletedEntityId);
    },
  });
}

export interface SpaceProps {
  readonly id: string;
  readonly live: boolean;
  readonly onClose: () => void;
}

export function Space({ id, live, onClose }: SpaceProps) {
  const client = useApolloClient();
  const { data, loading, refetch } = useQuery(spaceQuery, { variables: { id } });
  const [problem, setProblem] = useState('');
  useSpaceEvents(id);
  const attempt = (change: Promise<unknown>) => {
    setProblem('');
    change.catch((error: unknown) => setProblem(textOf(error)));
  };
  if (!data?.space) return loading ? <p role="status">Loading</p> : <p role="alert">There is no such space.</p>;
  return (
    <SpaceView
      title={data.space.title}
      entities={data.space.entities.edges.map(({ node }) => ({ ...node, position: positionOf(node.data) }))}
      live={live}
      problem={problem}
      onCreate={(entityId) => attempt(createEntity(client, id, entityId))}
      onMove={(entity) => attempt(moveEntity(client, entity))}
      onDelete={(entity) => attempt(deleteEntity(client, id, entity.id))}
      onReload={() => attempt(refetch())}
      onClose={onClose}
    />
  );
}
