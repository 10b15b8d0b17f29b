import { useEffect, useMemo, useState } from 'react';
import { graphql, useRelayEnvironment, useSubscription } from 'react-relay';
import type { IEnvironment } from 'relay-runtime';

import { type JobProps, Progress, type Publisher, PublishPanel } from '../shared/PublishPanel';
import type { PublishCompleteMutation } from './__generated__/PublishCompleteMutation.graphql';
import type { PublishJobSubscription } from './__generated__/PublishJobSubscription.graphql';
import type { PublishSpaceMutation } from './__generated__/PublishSpaceMutation.graphql';
import type { PublishUploadMutation } from './__generated__/PublishUploadMutation.graphql';
import { mutate } from './mutate';

/** Returns the mutations of publishing. A new space goes to the head of the connection. */
function newPublisher(environment: IEnvironment, connection: string): Publisher {
  return {
    async createUpload({ name, size, type }) {
      const input = { fileName: name, fileSize: size, contentType: type };
      const { createUpload } = await mutate<PublishUploadMutation>(environment, graphql`
        mutation PublishUploadMutation($input: CreateUploadInput!) {
          createUpload(input: $input) { upload { url method headers { name value } } }
        }
      `, { variables: { input } });
      return createUpload!.upload;
    },

    async completeUpload(fileUrl) {
      const { completeUpload } = await mutate<PublishCompleteMutation>(environment, graphql`
        mutation PublishCompleteMutation($input: CompleteUploadInput!) {
          completeUpload(input: $input) {
            confirmation {
              __typename
              ... on FileStored { file { id } }
              ... on JobStarted { job { id } }
            }
          }
        }
      `, { variables: { input: { fileUrl } } });
      const { confirmation } = completeUpload!;
      switch (confirmation.__typename) {
        case 'FileStored': return { fileId: confirmation.file.id };
        case 'JobStarted': return { jobId: confirmation.job.id };
        default: throw new Error('The server gave an answer that this application does not know.');
      }
    },

    async createSpace(fileId) {
      await mutate<PublishSpaceMutation>(environment, graphql`
        mutation PublishSpaceMutation($input: CreateSpaceInput!, $connections: [ID!]!) {
          createSpace(input: $input) {
            space @prependNode(connections: $connections, edgeTypeName: "SpaceEdge") { id title }
          }
        }
      `, { variables: { input: { fileId }, connections: [connection] } });
    },
  };
}

/** Subscribes to a job until it ends. */
function Job({ jobId, onFile, onFailed }: JobProps) {
  const [job, setJob] = useState<PublishJobSubscription['response']['job'] | null>(null);
  useSubscription<PublishJobSubscription>(useMemo(() => ({
    subscription: graphql`
      subscription PublishJobSubscription($id: ID!) {
        job(id: $id) { id status progress message error file { id } }
      }
    `,
    variables: { id: jobId },
    onNext: (response) => { if (response) setJob(response.job); },
    onError: (error: Error) => onFailed(error.message),
  }), [jobId]));
  useEffect(() => {
    if (job?.status === 'COMPLETED' && job.file) onFile(job.file.id);
    if (job?.status === 'FAILED') onFailed(job.error ?? '');
  }, [job?.status]);
  return <Progress percent={job?.progress ?? 0} message={job?.message ?? ''} />;
}

export function Publish({ connection }: { readonly connection: string }) {
  const environment = useRelayEnvironment();
  return <PublishPanel publisher={useMemo(() => newPublisher(environment, connection), [environment, connection])} Job={Job} />;
}
