// What the console asks of the server. A fragment is what one part of a view shows.

import { graphql } from './graphql.ts';

export const viewerQuery = graphql(`
  query Viewer { viewer { id userId name picture email plan isOperator storage { used promised free quota } } }
`);

const spaceCard = graphql(`
  fragment SpaceCard on Space {
    id spaceId title description licence privacy type url visitCount createdAt changedAt version
    posters { url width } turntable { url }
  }
`);

/** What the owner sees first: visits of the most visited spaces, followers and jobs. */
export const overviewQuery = graphql(`
  query Overview {
    viewer { id userId name storage { used quota } followers(first: 1) { totalCount } }
    spaces(first: 20, orderBy: { field: VISIT_COUNT, direction: DESC }) { totalCount nodes { id spaceId title privacy visitCount visitsByDay { day visits } } }
    jobs(first: 20) { nodes { id status updatedAt } }
  }
`);

export const spacesQuery = graphql(
  `
  query Spaces($filter: SpaceFilter, $orderBy: SpaceOrder, $first: Int, $after: String, $last: Int, $before: String) {
    spaces(filter: $filter, orderBy: $orderBy, first: $first, after: $after, last: $last, before: $before) {
      totalCount
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      nodes { ...SpaceCard }
    }
  }
`,
  [spaceCard],
);

export const entityRow = graphql(
  'fragment EntityRow on Entity { id entityId type data version changedAt file { id name size facts { __typename } } }',
);

/** What a space contains, and what can stop its owner from changing it. */
const spaceContents = graphql(
  `
  fragment SpaceContents on Space {
    lock { name until }
    takedown { reason text }
    entities(first: 200) { totalCount nodes { ...EntityRow } }
  }
`,
  [entityRow],
);

export const spaceQuery = graphql(
  `
  query Space($id: ID!) {
    space(id: $id) {
      ...SpaceCard ...SpaceContents type owner { id }
      shareLinks { shareLinkId name state hasPassword allowsDownload allowsMeasuring endsAt maxVisits visits }
    }
  }
`,
  [spaceCard, spaceContents],
);

export const versionsQuery = graphql(`
  query Versions($spaceId: ID!, $first: Int, $after: String, $last: Int, $before: String) {
    spaceVersions(spaceId: $spaceId, first: $first, after: $after, last: $last, before: $before) {
      totalCount
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      nodes { number name door restoredNumber endedAt created updated deleted }
    }
  }
`);

export const versionChangesQuery = graphql(`
  query VersionChanges($spaceId: ID!, $to: Int!) {
    spaceChanges(spaceId: $spaceId, to: $to) { totalCount nodes { target beforeType before afterType after } }
  }
`);

export const restoreVersionMutation = graphql(`
  mutation RestoreVersion($input: RestoreVersionInput!) { restoreVersion(input: $input) { noChanges } }
`);

export const nameVersionMutation = graphql(`
  mutation NameVersion($input: NameVersionInput!) { nameVersion(input: $input) { version { number name } } }
`);

export const deleteEntityMutation = graphql(
  'mutation DeleteEntity($input: DeleteEntityInput!) { deleteEntity(input: $input) { deletedEntityId } }',
);

export const updateEntityMutation = graphql(`
  mutation UpdateEntity($input: UpdateEntityInput!) { updateEntity(input: $input) { entity { id data version changedAt } } }
`);

/** Spaces that a gate can lead to. */
export const destinationsQuery = graphql(`
  query Destinations($filter: SpaceFilter) {
    spaces(filter: $filter, first: 8) { nodes { id spaceId title posters { url width } } }
    publicSpaces(filter: $filter, first: 8) { nodes { id spaceId title posters { url width } } }
  }
`);

/** Pictures that a gate can show. */
export const ownPicturesQuery = graphql(`
  query OwnPictures($after: String) {
    files(filter: { format: [JPEG, PNG, WEBP] }, first: 12, after: $after) {
      pageInfo { hasNextPage endCursor } nodes { id name url posters { url width } }
    }
  }
`);

export const leadsToQuery = graphql('query LeadsTo($id: ID!) { space(id: $id) { ...SpaceCard } }', [spaceCard]);

const person = graphql('fragment Person on User { id userId name followed }');

export const peopleQuery = graphql(
  `
  query People {
    viewer {
      id
      followers(first: 200) { totalCount nodes { ...Person } }
      following(first: 200) { totalCount nodes { ...Person } }
    }
  }
`,
  [person],
);

export const followMutation = graphql('mutation Follow($input: FollowUserInput!) { followUser(input: $input) { user { ...Person } } }', [
  person,
]);
export const unfollowMutation = graphql(
  'mutation Unfollow($input: UnfollowUserInput!) { unfollowUser(input: $input) { user { ...Person } } }',
  [person],
);

/** All titles, for choosing a space. */
export const spaceTitlesQuery = graphql(`
  query SpaceTitles($filter: SpaceFilter) { spaces(filter: $filter, first: 50) { totalCount nodes { id title } } }
`);

/** The address of a file that works now. */
export const fileAddressQuery = graphql('query FileAddress($id: ID!) { file(id: $id) { id readUrl } }');

export const updateFileMutation = graphql(`mutation UpdateFile($input: UpdateFileInput!) { updateFile(input: $input) { file { id } } }`);

export const createSpaceMutation = graphql(
  `
  mutation CreateSpace($input: CreateSpaceInput!) { createSpace(input: $input) { warning space { ...SpaceCard } } }
`,
  [spaceCard],
);

export const updateSpaceMutation = graphql(
  `
  mutation UpdateSpace($input: UpdateSpaceInput!) { updateSpace(input: $input) { space { ...SpaceCard } } }
`,
  [spaceCard],
);

export const updatePrivacyMutation = graphql(
  `
  mutation UpdatePrivacy($input: UpdateSpacePrivacyInput!) { updateSpacePrivacy(input: $input) { space { ...SpaceCard } } }
`,
  [spaceCard],
);

export const createShareLinkMutation = graphql(`
  mutation CreateShareLink($input: CreateShareLinkInput!) { createShareLink(input: $input) { url } }
`);

export const revokeShareLinkMutation = graphql(`
  mutation RevokeShareLink($input: RevokeShareLinkInput!) { revokeShareLink(input: $input) { shareLink { state } } }
`);

export const deleteSpaceMutation = graphql(`
  mutation DeleteSpace($input: DeleteSpaceInput!) { deleteSpace(input: $input) { deletedSpaceId } }
`);

export const createEntityMutation = graphql(`
  mutation CreateEntity($input: CreateEntityInput!) {
    createEntity(input: $input) { warning entity { id space { id url } } }
  }
`);

const fileCard = graphql(`
  fragment FileCard on File {
    id resourceKey name contentType size derivedBytes createdAt posters { url width }
    preparation { step state message }
    captures { name size splats }
    start { doubtfulScale scene }
    facts {
      __typename format version
      ... on GaussianFacts { splats levels bounds { min max } }
      ... on MeshFacts { vertices triangles bounds { min max } }
      ... on ImageFacts { width height }
      ... on DamagedFacts { fault }
    }
    usedBy(first: 20) { totalCount nodes { id space { id spaceId title url } } }
  }
`);

export const filesQuery = graphql(
  `
  query Files($filter: FileFilter, $orderBy: FileOrder, $first: Int, $after: String, $last: Int, $before: String) {
    files(filter: $filter, orderBy: $orderBy, first: $first, after: $after, last: $last, before: $before) {
      totalCount
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      nodes { ...FileCard }
    }
  }
`,
  [fileCard],
);

export const fileQuery = graphql('query File($id: ID!) { file(id: $id) { ...FileCard readUrl attribution } }', [fileCard]);

/** The sizes of the largest files, for the plot of the storage. */
export const fileSizesQuery = graphql(`
  query FileSizes { files(first: 200, orderBy: { field: SIZE }) { totalCount nodes { id size derivedBytes facts { __typename format } } } }
`);

export const deleteFileMutation = graphql(`
  mutation DeleteFile($input: DeleteFileInput!) { deleteFile(input: $input) { deletedFileId } }
`);

export const convertFileMutation = graphql(`
  mutation ConvertFile($input: ConvertFileInput!) { convertFile(input: $input) { job { id } } }
`);

export const extractCaptureMutation = graphql(`
  mutation ExtractCapture($input: ExtractCaptureInput!) { extractCapture(input: $input) { job { id } } }
`);

export const jobRow = graphql(`
  fragment JobRow on Job {
    id jobId type status progress message step { name done total unit } error createdAt updatedAt file { id name }
  }
`);

export const jobsQuery = graphql(
  `
  query Jobs($first: Int, $after: String, $last: Int, $before: String) {
    jobs(first: $first, after: $after, last: $last, before: $before) {
      totalCount nodes { ...JobRow } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`,
  [jobRow],
);
export const jobQuery = graphql('query Job($id: ID!) { job(id: $id) { ...JobRow } }', [jobRow]);

export const cancelJobMutation = graphql(
  `
  mutation CancelJob($input: CancelJobInput!) { cancelJob(input: $input) { job { ...JobRow } } }
`,
  [jobRow],
);

export const notificationsQuery = graphql(`
  query Notifications {
    notifications(first: 50) { totalCount nodes { id type text createdAt space { id title url owner { id userId name } } } }
  }
`);

export const createUploadMutation = graphql(`
  mutation CreateUpload($input: CreateUploadInput!) {
    createUpload(input: $input) { upload { url method headers { name value } expiresAt } }
  }
`);

export const completeUploadMutation = graphql(
  `
  mutation CompleteUpload($input: CompleteUploadInput!) {
    completeUpload(input: $input) {
      confirmation { __typename ... on FileStored { file { ...FileCard } } ... on JobStarted { job { ...JobRow } } }
    }
  }
`,
  [fileCard, jobRow],
);

export const abandonUploadMutation = graphql(`
  mutation AbandonUpload($input: AbandonUploadInput!) { abandonUpload(input: $input) { abandonedFileUrl } }
`);

// Events. They keep the cache up to date for all views, so the console follows each once.

/**
 * The changes of one space and its entities. A change has the fields of SpaceEvents too: the snapshot
 * may be older than an event of that subscription that the page already has.
 */
export const entityEvents = graphql(
  `
  subscription EntityEvents($id: ID!) {
    space(id: $id) {
      __typename
      ... on SpaceSnapshot { space { ...SpaceCard ...SpaceContents } }
      ... on SpaceChanged { space { ...SpaceCard lock { name until } takedown { reason text } } }
      ... on EntityCreated { space { id posters { url width } turntable { url } } }
      ... on EntityChanged { space { id posters { url width } turntable { url } } entity { ...EntityRow } }
      ... on EntityDeleted { space { id posters { url width } turntable { url } } deletedEntityId }
    }
  }
`,
  [spaceCard, spaceContents, entityRow],
);

export const jobEvents = graphql('subscription JobEvents { jobs { ...JobRow } }', [jobRow]);

export const spaceEvents = graphql(
  `
  subscription SpaceEvents {
    viewerSpaces {
      __typename
      ... on SpaceCreated { space { ...SpaceCard } }
      ... on SpaceChanged { space { ...SpaceCard } }
      ... on SpaceDeleted { deletedSpaceId }
    }
  }
`,
  [spaceCard],
);

export const fileEvents = graphql(
  `
  subscription FileEvents {
    viewerFiles {
      __typename
      ... on FileCreated { file { ...FileCard } }
      ... on FileChanged { file { ...FileCard } }
      ... on FileDeleted { deletedFileId }
    }
  }
`,
  [fileCard],
);

export const notificationEvents = graphql('subscription NotificationEvents { notifications { id } }');
