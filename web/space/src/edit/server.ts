// The mutations of entities, for the owner of a space.

import { run } from '../server/graphql.ts';
import { entityFields } from '../server/space.ts';
import type { Data, EntityRow } from '../server/space.ts';
import type { EntityServer } from './saver.ts';

const createDocument = `
  mutation Create($in: CreateEntityInput!) {
    createEntity(input: $in) { entity { ...EntityFields } }
  }${entityFields}`;

const updateDocument = `
  mutation Update($in: UpdateEntityInput!) {
    updateEntity(input: $in) { entity { ...EntityFields } }
  }${entityFields}`;

const deleteDocument = 'mutation Delete($in: DeleteEntityInput!) { deleteEntity(input: $in) { deletedEntityId } }';

/** Returns the mutations of the entities of a space. */
export function entityServer(spaceId: string): EntityServer {
  return {
    create: async ({ entityId, type, data, file }) => {
      // The data of a copy has the address of its file already, and its type stays.
      const shows = file && !data['glbUrl'] ? { fileId: file.id } : { type };
      const input = { spaceId, entityId, data, mustBeNew: true, ...shows };
      return (await run<{ createEntity: { entity: EntityRow } }>(createDocument, { in: input })).createEntity.entity;
    },
    update: async (entityId: string, data: Data, expectedVersion: number) => {
      const input = { spaceId, entityId, data, expectedVersion };
      return (await run<{ updateEntity: { entity: EntityRow } }>(updateDocument, { in: input })).updateEntity.entity;
    },
    delete: async (entityId: string) => {
      await run(deleteDocument, { in: { spaceId, entityId } });
    },
  };
}

/** The 64 random bits make it unlikely that two editors choose the same id. */
export function newEntityId(prefix: string): string {
  const random = crypto.getRandomValues(new Uint8Array(8));
  return `${prefix}-${[...random].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** Returns the address of a file that all visitors read. */
export async function publicAddress(fileId: string): Promise<string> {
  const { file } = await run<{ file: { url: string } | null }>('query Address($id: ID!) { file(id: $id) { url } }', { id: fileId });
  if (!file) throw new Error('the file is gone');
  return file.url;
}
