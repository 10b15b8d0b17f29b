// What the kit asks of the server.

import { graphql, type ResultOf, type VariablesOf } from './graphql.ts';

const fileFields = graphql('fragment FileFields on File { id resourceKey name size contentType url viewUrl posterUrl createdAt }');
const spaceFields = graphql(`
  fragment SpaceFields on Space {
    id spaceId title description privacy type url visitCount createdAt changedAt version posters { url width height }
  }
`);
const entityFields = graphql(
  'fragment EntityFields on Entity { id entityId type data version createdAt changedAt file { ...FileFields } }',
  [fileFields],
);
const jobFields = graphql(
  'fragment JobFields on Job { id jobId type status progress message error createdAt updatedAt file { ...FileFields } }',
  [fileFields],
);

export type StoredFile = ResultOf<typeof fileFields>;
export type Space = ResultOf<typeof spaceFields>;
export type Entity = ResultOf<typeof entityFields>;
export type Job = ResultOf<typeof jobFields>;

export const createUpload = graphql(
  'mutation CreateUpload($input: CreateUploadInput!) { createUpload(input: $input) { upload { url method headers { name value } } } }',
);
export const completeUpload = graphql(
  `
  mutation CompleteUpload($input: CompleteUploadInput!) {
    completeUpload(input: $input) {
      confirmation { __typename ... on FileStored { file { ...FileFields } } ... on JobStarted { job { ...JobFields } } }
    }
  }
`,
  [fileFields, jobFields],
);
export const abandonUpload = graphql(
  'mutation AbandonUpload($input: AbandonUploadInput!) { abandonUpload(input: $input) { abandonedFileUrl } }',
);
export const cancelJob = graphql('mutation CancelJob($input: CancelJobInput!) { cancelJob(input: $input) { job { id } } }');
export const jobChanges = graphql('subscription JobChanges($id: ID!) { job(id: $id) { ...JobFields } }', [jobFields]);

export const spaces = graphql(
  `
  query Spaces($filter: SpaceFilter, $after: String) {
    spaces(filter: $filter, after: $after) { pageInfo { hasNextPage endCursor } nodes { ...SpaceFields } }
  }
`,
  [spaceFields],
);
export const space = graphql('query Space($id: ID!) { space(id: $id) { ...SpaceFields } }', [spaceFields]);
export const createSpace = graphql(
  'mutation CreateSpace($input: CreateSpaceInput!) { createSpace(input: $input) { space { ...SpaceFields } } }',
  [spaceFields],
);
export const updateSpace = graphql(
  'mutation UpdateSpace($input: UpdateSpaceInput!) { updateSpace(input: $input) { space { ...SpaceFields } } }',
  [spaceFields],
);
export const deleteSpace = graphql('mutation DeleteSpace($input: DeleteSpaceInput!) { deleteSpace(input: $input) { deletedSpaceId } }');
export const spaceChanges = graphql(
  `
  subscription SpaceChanges($id: ID!) {
    space(id: $id) {
      __typename
      ... on SpaceSnapshot { space { ...SpaceFields } }
      ... on SpaceChanged { space { ...SpaceFields } }
      ... on EntityCreated { entity { ...EntityFields } }
      ... on EntityChanged { entity { ...EntityFields } }
      ... on EntityDeleted { deletedEntityId }
      ... on RoomChanged { room { ...EntityFields } }
      ... on SpaceDeleted { deletedSpaceId }
      ... on AccessLost { lostSpaceId }
    }
  }
`,
  [spaceFields, entityFields],
);

export const entities = graphql(
  `
  query Entities($id: ID!, $type: [String!], $after: String) {
    space(id: $id) {
      entities(filter: { type: $type }, after: $after) { pageInfo { hasNextPage endCursor } nodes { ...EntityFields } }
    }
  }
`,
  [entityFields],
);
export const createEntity = graphql(
  'mutation CreateEntity($input: CreateEntityInput!) { createEntity(input: $input) { entity { ...EntityFields } } }',
  [entityFields],
);
export const updateEntity = graphql(
  'mutation UpdateEntity($input: UpdateEntityInput!) { updateEntity(input: $input) { entity { ...EntityFields } } }',
  [entityFields],
);
export const deleteEntity = graphql(
  'mutation DeleteEntity($input: DeleteEntityInput!) { deleteEntity(input: $input) { deletedEntityId } }',
);

export type SpaceFilter = VariablesOf<typeof spaces>['filter'];
export type NewSpace = VariablesOf<typeof createSpace>['input'];
export type SpaceUpdate = VariablesOf<typeof updateSpace>['input'];
export type SpaceChange = NonNullable<ResultOf<typeof spaceChanges>['space']>;
export type NewEntity = VariablesOf<typeof createEntity>['input'];
export type EntityUpdate = VariablesOf<typeof updateEntity>['input'];
export type ConversionTarget = NonNullable<VariablesOf<typeof createUpload>['input']['convertTo']>;
