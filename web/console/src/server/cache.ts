// The normalised cache. Objects that a result or an event returns replace the ones with
// their id; lists are fetched again when something is created or deleted, because only the
// server knows where it belongs in their order. After a mutation the cache asks for them at once.
// Events may come many times a second, so they only say what is outdated.

import { type Cache, cacheExchange, type Entity } from '@urql/exchange-graphcache';
import type { Refetch } from './refetch.ts';

function invalidate(cache: Cache, ...lists: string[]): void {
  for (const { fieldName, fieldKey } of cache.inspectFields('Query')) {
    if (lists.includes(fieldName)) cache.invalidate('Query', fieldKey);
  }
}

function remove(cache: Cache, typename: string, id: unknown): void {
  if (typeof id === 'string') cache.invalidate({ __typename: typename, id });
}

/** The fields of events, of which each event has a few. */
type Changed = { __typename: string; deletedSpaceId?: string; deletedFileId?: string } | undefined;

/** Types without an id stay within their parent. */
const embedded = [
  'PageInfo',
  'Storage',
  'UploadParams',
  'Header',
  'Preparation',
  'Poster',
  'Turntable',
  'Start',
  'Bounds',
  'SuggestedView',
  'CollisionMeshes',
  'GaussianFacts',
  'MeshFacts',
  'ImageFacts',
  'DamagedFacts',
  'OtherFacts',
  'FileStored',
  'JobStarted',
  'SpaceConnection',
  'SpaceEdge',
  'EntityConnection',
  'EntityEdge',
  'FileConnection',
  'FileEdge',
  'JobConnection',
  'JobEdge',
  'JobStep',
  'NotificationConnection',
  'UserConnection',
  'SpaceLock',
  'DayVisits',
  'SpaceVersion',
  'SpaceVersionConnection',
  'SpaceChange',
  'SpaceChangeConnection',
  'NotificationEdge',
  'ConnectedApp',
  'EmailChange',
  'Identity',
  'SecurityEventConnection',
  'SecurityEventChange',
  'Operator',
  'AccountConnection',
  'ModeratedSpaceConnection',
  'OperatedJobConnection',
  'AuditEntryConnection',
  'Queue',
  'FailedStep',
  'Sample',
  'Setting',
  'Takedown',
  'ShareLink',
  'WebhookDeliveryConnection',
  'WebhookFailure',
];

export function newCache(outdated: Refetch) {
  return cacheExchange({
    keys: Object.fromEntries(embedded.map((type) => [type, () => null])),
    updates: {
      Mutation: {
        createSpace: (_result, _args, cache) => invalidate(cache, 'spaces'),
        deleteSpace: (result, _args, cache) => {
          remove(cache, 'Space', (result['deleteSpace'] as Changed)?.deletedSpaceId);
          invalidate(cache, 'spaces');
        },
        updateSpace: (_result, _args, cache) => invalidate(cache, 'spaces', 'spaceVersions'),
        updateSpacePrivacy: (_result, _args, cache) => invalidate(cache, 'spaces'),
        completeUpload: (_result, _args, cache) => invalidate(cache, 'files', 'jobs', 'viewer'),
        deleteFile: (result, _args, cache) => {
          remove(cache, 'File', (result['deleteFile'] as Changed)?.deletedFileId);
          invalidate(cache, 'files', 'viewer');
        },
        changePassword: (_result, _args, cache) => invalidate(cache, 'viewer'),
        endSession: (_result, _args, cache) => invalidate(cache, 'viewer'),
        endOtherSessions: (_result, _args, cache) => invalidate(cache, 'viewer'),
        disconnectApp: (_result, _args, cache) => invalidate(cache, 'viewer'),
        disconnectIdentity: (_result, _args, cache) => invalidate(cache, 'viewer'),
        createWebhook: (_result, _args, cache) => invalidate(cache, 'viewer'),
        deleteWebhook: (_result, _args, cache) => invalidate(cache, 'viewer'),
        generateApiKey: (_result, _args, cache) => invalidate(cache, 'viewer'),
        createShareLink: (_result, _args, cache) => invalidate(cache, 'space'),
        revokeShareLink: (_result, _args, cache) => invalidate(cache, 'space'),
        createEntity: (_result, args, cache) => {
          refetchEntities(cache, spaceOf(args));
          invalidate(cache, 'spaceVersions');
        },
        deleteEntity: (_result, args, cache) => {
          cache.invalidate({ __typename: 'Entity', id: (args['input'] as { entityId: string }).entityId });
          invalidate(cache, 'space', 'spaceVersions');
        },
        updateEntity: (_result, _args, cache) => invalidate(cache, 'spaceVersions'),
        restoreVersion: (_result, args, cache) => {
          refetchEntities(cache, spaceOf(args));
          invalidate(cache, 'space', 'spaceVersions');
        },
        // The navigation counts the spaces with open reports.
        closeReports: (_result, _args, cache) => invalidate(cache, 'operator'),
        takeDownSpace: (_result, _args, cache) => invalidate(cache, 'operator'),
        nameVersion: (_result, _args, cache) => invalidate(cache, 'spaceVersions'),
        followUser: (_result, _args, cache) => invalidate(cache, 'viewer'),
        unfollowUser: (_result, _args, cache) => invalidate(cache, 'viewer'),
        convertFile: (_result, _args, cache) => invalidate(cache, 'jobs'),
        extractCapture: (_result, _args, cache) => invalidate(cache, 'jobs'),
      },
      Subscription: {
        viewerSpaces: (result) => {
          const event = result['viewerSpaces'] as Changed;
          if (event?.deletedSpaceId) outdated.all();
          outdated.fields('spaces');
          // Each connection starts with a snapshot: what changed before it may have been missed.
          if (event?.__typename === 'SpacesSnapshot') outdated.fields('space', 'spaceVersions', 'notifications');
        },
        space: (result) => {
          const event = result['space'] as Changed;
          const isListChange = event?.__typename === 'EntityCreated' || event?.__typename === 'EntityDeleted';
          if (isListChange) outdated.fields('space');
          if (event?.__typename !== 'SpaceSnapshot') outdated.fields('spaceVersions');
        },
        viewerFiles: (result) => {
          const event = result['viewerFiles'] as Changed;
          if (event?.deletedFileId) outdated.all();
          // The poster of a file that changed may be the picture of a space.
          if (event?.__typename === 'FileChanged') outdated.fields('spaces');
          else outdated.fields('files', 'viewer');
          if (event?.__typename === 'FilesSnapshot') outdated.fields('file');
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
          if (!listed.some(isListed)) outdated.fields('jobs');
        },
        notifications: () => outdated.fields('notifications'),
      },
    },
  });
}

/** Returns the space that a mutation changes. */
function spaceOf(args: Record<string, unknown>): string {
  return (args['input'] as { spaceId: string }).spaceId;
}

function refetchEntities(cache: Cache, spaceId: string): void {
  const key = { __typename: 'Space', id: spaceId };
  for (const { fieldName, fieldKey } of cache.inspectFields(key)) {
    if (fieldName === 'entities') cache.invalidate(key, fieldKey);
  }
}
