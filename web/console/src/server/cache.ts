// The normalised cache. Objects that an answer or an event returns replace the ones with
// their id; lists are asked for again when something is created or deleted, because only the
// server knows where it belongs in their order.

import { type Cache, cacheExchange, type Entity } from '@urql/exchange-graphcache';

function refresh(cache: Cache, ...lists: string[]): void {
  for (const { fieldName, fieldKey } of cache.inspectFields('Query')) {
    if (lists.includes(fieldName)) cache.invalidate('Query', fieldKey);
  }
}

function forget(cache: Cache, typename: string, id: unknown): void {
  if (typeof id === 'string') cache.invalidate({ __typename: typename, id });
}

/** The fields of events, of which each event has a few. */
type Event = { __typename: string; deletedSpaceId?: string; deletedFileId?: string } | undefined;

/** Types without an id stay within their parent. */
const embedded = [
  'PageInfo', 'Storage', 'UploadParams', 'Header', 'Preparation', 'Poster', 'Start', 'Bounds', 'SuggestedView',
  'CollisionMeshes', 'GaussianFacts', 'MeshFacts', 'ImageFacts', 'DamagedFacts', 'OtherFacts', 'FileStored', 'JobStarted',
  'SpaceConnection', 'SpaceEdge', 'EntityConnection', 'EntityEdge', 'FileConnection', 'FileEdge', 'JobConnection', 'JobEdge',
  'NotificationConnection', 'UserConnection', 'SpaceLock', 'DayVisits', 'SpaceVersion', 'SpaceVersionConnection', 'SpaceChange', 'SpaceChangeConnection', 'NotificationEdge', 'ConnectedApp', 'Identity', 'SecurityEventConnection',
  'Operator', 'AccountConnection', 'ModeratedSpaceConnection', 'OperatedJobConnection', 'AuditEntryConnection', 'Queue',
  'FailedStep', 'Sample', 'Setting', 'Takedown', 'WebhookDeliveryConnection',
];

export function newCache() {
  return cacheExchange({
    keys: Object.fromEntries(embedded.map((type) => [type, () => null])),
    updates: {
      Mutation: {
        createSpace: (_result, _args, cache) => refresh(cache, 'spaces'),
        deleteSpace: (result, _args, cache) => {
          forget(cache, 'Space', (result['deleteSpace'] as Event)?.deletedSpaceId);
          refresh(cache, 'spaces');
        },
        updateSpace: (_result, _args, cache) => refresh(cache, 'spaces', 'spaceVersions'),
        updateSpacePrivacy: (_result, _args, cache) => refresh(cache, 'spaces'),
        completeUpload: (_result, _args, cache) => refresh(cache, 'files', 'jobs', 'viewer'),
        deleteFile: (result, _args, cache) => {
          forget(cache, 'File', (result['deleteFile'] as Event)?.deletedFileId);
          refresh(cache, 'files', 'viewer');
        },
        changePassword: (_result, _args, cache) => refresh(cache, 'viewer'),
        endSession: (_result, _args, cache) => refresh(cache, 'viewer'),
        endOtherSessions: (_result, _args, cache) => refresh(cache, 'viewer'),
        disconnectApp: (_result, _args, cache) => refresh(cache, 'viewer'),
        disconnectIdentity: (_result, _args, cache) => refresh(cache, 'viewer'),
        createWebhook: (_result, _args, cache) => refresh(cache, 'viewer'),
        deleteWebhook: (_result, _args, cache) => refresh(cache, 'viewer'),
        generateApiKey: (_result, _args, cache) => refresh(cache, 'viewer'),
        createEntity: (_result, args, cache) => {
          forgetEntities(cache, args);
          refresh(cache, 'spaceVersions');
        },
        updateEntity: (_result, _args, cache) => refresh(cache, 'spaceVersions'),
        restoreVersion: (_result, args, cache) => {
          forgetEntities(cache, args);
          refresh(cache, 'space', 'spaceVersions');
        },
        nameVersion: (_result, _args, cache) => refresh(cache, 'spaceVersions'),
        followUser: (_result, _args, cache) => refresh(cache, 'viewer'),
        unfollowUser: (_result, _args, cache) => refresh(cache, 'viewer'),
        convertFile: (_result, _args, cache) => refresh(cache, 'jobs'),
      },
      Subscription: {
        viewerSpaces: (result, _args, cache) => {
          const event = result['viewerSpaces'] as Event;
          if (event?.deletedSpaceId) forget(cache, 'Space', event.deletedSpaceId);
          refresh(cache, 'spaces');
          // A snapshot begins each connection: what changed before it may have been missed.
          if (event?.__typename === 'SpacesSnapshot') refresh(cache, 'space', 'spaceVersions', 'notifications');
        },
        viewerFiles: (result, _args, cache) => {
          const event = result['viewerFiles'] as Event;
          if (event?.deletedFileId) forget(cache, 'File', event.deletedFileId);
          if (event?.__typename !== 'FileChanged') refresh(cache, 'files', 'viewer');
          if (event?.__typename === 'FilesSnapshot') refresh(cache, 'file');
        },
        jobs: (result, _args, cache) => {
          const job = result['jobs'] as { id: string } | undefined;
          const listed = cache.inspectFields('Query').filter(({ fieldName }) => fieldName === 'jobs');
          const isListed = ({ fieldKey }: { fieldKey: string }) => {
            const list = cache.resolve('Query', fieldKey) as Entity;
            const jobs = cache.resolve(list, 'nodes');
            return Array.isArray(jobs) && (jobs as unknown[]).includes(`Job:${job?.id}`);
          };
          // A job that no page shows is new.
          if (!listed.some(isListed)) refresh(cache, 'jobs');
        },
        notifications: (_result, _args, cache) => refresh(cache, 'notifications'),
      },
    },
  });
}

/** Asks again for the entities of the space that a mutation added one to. */
function forgetEntities(cache: Cache, args: Record<string, unknown>): void {
  const { spaceId } = args['input'] as { spaceId: string };
  const key = { __typename: 'Space', id: spaceId };
  for (const { fieldName, fieldKey } of cache.inspectFields(key)) {
    if (fieldName === 'entities') cache.invalidate(key, fieldKey);
  }
}
