import { startTransition, useMemo, useState } from 'react';
import {
  graphql, useFragment, useLazyLoadQuery, useRefetchableFragment, useRelayEnvironment, useSubscription,
} from 'react-relay';

import { positionOf } from '../shared/json';
import { SpaceView } from '../shared/SpaceView';
import type { Space_entities$key } from './__generated__/Space_entities.graphql';
import type { Space_space$key } from './__generated__/Space_space.graphql';
import type { SpaceQuery } from './__generated__/SpaceQuery.graphql';
import type { SpaceReloadQuery } from './__generated__/SpaceReloadQuery.graphql';
import type { SpaceSubscription } from './__generated__/SpaceSubscription.graphql';
import { createEntity, deleteEntity, moveEntity } from './entity';

/** The entities: a snapshot and a reload replace the connection. */
const entitiesFragment = graphql`
  fragment Space_entities on Space {
    entities(first: 100) @connection(key: "Space_entities") {
      __id
      edges { node { id entityId data version } }
    }
  }
`;

const spaceFragment = graphql`
  fragment Space_space on Space @refetchable(queryName: "SpaceReloadQuery") { id title ...Space_entities }
`;

/** Keeps a space and its connection of entities up to date. */
function useSpaceEvents(id: string, connection: string): void {
  useSubscription<SpaceSubscription>(useMemo(() => ({
    subscription: graphql`
      subscription SpaceSubscription($id: ID!, $connections: [ID!]!) {
        space(id: $id) {
          ... on SpaceSnapshot { space { ...Space_space } }
          ... on SpaceChanged { space { id title } }
          ... on EntityCreated {
            entity @appendNode(connections: $connections, edgeTypeName: "EntityEdge") { id entityId data version }
          }
          ... on EntityChanged { entity { id data version } }
          ... on EntityDeleted { deletedEntityId @deleteEdge(connections: $connections) }
        }
      }
    `,
    variables: { id, connections: [connection] },
    onError: () => {}, // the socket reports the loss of the key, and connects again by itself
  }), [id, connection]));
}

export interface SpaceProps {
  readonly id: string;
  readonly live: boolean;
  readonly onClose: () => void;
}

export function Space({ id, live, onClose }: SpaceProps) {
  const { space } = useLazyLoadQuery<SpaceQuery>(graphql`
    query SpaceQuery($id: ID!) { space(id: $id) { ...Space_space } }
  `, { id });
  return space ? <OpenSpace space={space} live={live} onClose={onClose} /> : <p role="alert">There is no such space.</p>;
}

function OpenSpace({ space, live, onClose }: Omit<SpaceProps, 'id'> & { readonly space: Space_space$key }) {
  const environment = useRelayEnvironment();
  const [data, refetch] = useRefetchableFragment<SpaceReloadQuery, Space_space$key>(spaceFragment, space);
  const { id, title } = data;
  const { entities } = useFragment<Space_entities$key>(entitiesFragment, data);
  const [problem, setProblem] = useState('');
  useSpaceEvents(id, entities.__id);
  const attempt = (change: Promise<unknown>) => {
    setProblem('');
    change.catch((error: Error) => setProblem(error.message));
  };
  return (
    <SpaceView
      title={title}
      entities={entities.edges.map(({ node }) => ({ ...node, position: positionOf(node.data) }))}
      live={live}
      problem={problem}
      onCreate={(entityId) => attempt(createEntity(environment, id, entities.__id, entityId))}
      onMove={(entity) => attempt(moveEntity(environment, entity))}
      onDelete={(entity) => attempt(deleteEntity(environment, entities.__id, entity.id))}
      onReload={() => startTransition(() => { refetch({}, { fetchPolicy: 'network-only' }); })}
      onClose={onClose}
    />
  );
}
