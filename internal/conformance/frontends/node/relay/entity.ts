import { ConnectionHandler, graphql } from 'react-relay';
import { generateUniqueClientID, type IEnvironment, type RecordProxy, type RecordSourceSelectorProxy } from 'relay-runtime';

import { type JSONObject, moved, positionOf } from '../shared/json';
import type { entityCreateMutation } from './__generated__/entityCreateMutation.graphql';
import type { entityDataQuery } from './__generated__/entityDataQuery.graphql';
import type { entityDeleteMutation } from './__generated__/entityDeleteMutation.graphql';
import type { entityMoveMutation } from './__generated__/entityMoveMutation.graphql';
import { mutate } from './mutate';

/**
 * Sets the data of an entity in the store. Only an updatable query accepts a JSON scalar: an
 * optimisticResponse warns of its fields, and setValue refuses it.
 */
function setData(store: RecordSourceSelectorProxy, entity: RecordProxy, data: JSONObject): void {
  const id = entity.getDataID();
  store.getRoot().setLinkedRecord(entity, 'entity', { entityId: id });
  const { updatableData } = store.readUpdatableQuery<entityDataQuery>(graphql`
    query entityDataQuery($id: ID!) @updatable {
      entity(entityId: $id) { data }
    }
  `, { id });
  updatableData.entity!.data = data;
}

/** Creates an entity. It is in the connection at once, and is rolled back when the server refuses. */
export function createEntity(environment: IEnvironment, spaceId: string, connection: string, entityId: string) {
  const data = { position: [0, 0, 0] };
  return mutate<entityCreateMutation>(environment, graphql`
    mutation entityCreateMutation($input: CreateEntityInput!, $connections: [ID!]!) {
      createEntity(input: $input) {
        entity @appendNode(connections: $connections, edgeTypeName: "EntityEdge") { id entityId data version }
      }
    }
  `, {
    variables: { input: { spaceId, entityId, data, mustBeNew: true }, connections: [connection] },
    optimisticUpdater(store) {
      const entity = store.create(generateUniqueClientID(), 'Entity');
      entity.setValue(entity.getDataID(), 'id').setValue(entityId, 'entityId').setValue(0, 'version');
      setData(store, entity, data);
      const list = store.get(connection)!;
      ConnectionHandler.insertEdgeAfter(list, ConnectionHandler.createEdge(store, list, entity, 'EntityEdge'));
    },
  });
}

/** An entity as the list shows it. */
export interface Movable {
  readonly id: string;
  readonly data: JSONObject;
  readonly version: number;
}

/** Moves an entity, unless it has changed since it was shown. */
export function moveEntity(environment: IEnvironment, { id, data, version }: Movable) {
  const position = moved(positionOf(data));
  return mutate<entityMoveMutation>(environment, graphql`
    mutation entityMoveMutation($input: UpdateEntityInput!) {
      updateEntity(input: $input) { entity { id data version } }
    }
  `, {
    variables: { input: { entityId: id, data: { position }, expectedVersion: version } },
    optimisticUpdater: (store) => setData(store, store.get(id)!, { ...data, position }),
  });
}

/** Deletes an entity. It leaves the connection at once, and is rolled back when the server refuses. */
export function deleteEntity(environment: IEnvironment, connection: string, entityId: string) {
  return mutate<entityDeleteMutation>(environment, graphql`
    mutation entityDeleteMutation($input: DeleteEntityInput!, $connections: [ID!]!) @raw_response_type {
      deleteEntity(input: $input) { deletedEntityId @deleteEdge(connections: $connections) }
    }
  `, {
    variables: { input: { entityId }, connections: [connection] },
    optimisticResponse: { deleteEntity: { deletedEntityId: entityId } },
  });
}
