import { useState } from 'react';
import { useClient, useQuery, useSubscription } from 'urql';

import { moved, positionOf } from '../shared/json';
import { SpaceView } from '../shared/SpaceView';
import { createEntityMutation, deleteEntityMutation, moveEntityMutation, spaceQuery, spaceSubscription } from './entity';
import { mutate } from './Publish';

export interface SpaceProps {
  readonly id: string;
  readonly live: boolean;
  readonly onClose: () => void;
}

export function Space({ id, live, onClose }: SpaceProps) {
  const client = useClient();
  const [{ data, fetching }, query] = useQuery({ query: spaceQuery, variables: { id } });
  const [problem, setProblem] = useState('');
  useSubscription({ query: spaceSubscription, variables: { id } });
  const attempt = (change: Promise<unknown>) => {
    setProblem('');
    change.catch((error: Error) => setProblem(error.message));
  };
  if (!data?.space) return fetching ? <p role="status">Loading</p> : <p role="alert">There is no such space.</p>;
  return (
    <SpaceView
      title={data.space.title}
      entities={data.space.entities.edges.map(({ node }) => ({ ...node, position: positionOf(node.data) }))}
      live={live}
      problem={problem}
      onCreate={(entityId) => attempt(mutate(client, createEntityMutation, {
        input: { spaceId: id, entityId, data: { position: [0, 0, 0] }, mustBeNew: true },
      }))}
      onMove={({ id: entityId, position, version }) => attempt(mutate(client, moveEntityMutation, {
        input: { entityId, data: { position: moved(position) }, expectedVersion: version },
      }))}
      onDelete={({ id: entityId }) => attempt(mutate(client, deleteEntityMutation, { input: { spaceId: id, entityId } }))}
      onReload={() => query({ requestPolicy: 'network-only' })}
      onClose={onClose}
    />
  );
}
