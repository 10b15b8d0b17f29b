import type { ApolloClient } from '@apollo/client';
import { useApolloClient, useSubscription } from '@apollo/client/react';
import { useEffect, useMemo } from 'react';

import { graphql } from '../shared/graphql';
import { type JobProps, Progress, type Publisher, PublishPanel } from '../shared/PublishPanel';
import { firstPage, spacesQuery } from './Spaces';

const createUploadMutation = graphql(`
  mutation CreateUpload($input: CreateUploadInput!) {
    createUpload(input: $input) { upload { url method headers { name value } } }
  }
`);

const completeUploadMutation = graphql(`
  mutation CompleteUpload($input: CompleteUploadInput!) {
    completeUpload(input: $input) {
      confirmation {
        __typename
        ... on FileStored { file { id } }
        ... on JobStarted { job { id } }
      }
    }
  }
`);

const createSpaceMutation = graphql(`
  mutation CreateSpace($input: CreateSpaceInput!) {
    createSpace(input: $input) { space { id title } }
  }
`);

const jobSubscription = graphql(`
  subscription Job($id: ID!) {
    job(id: $id) { id status progress message error file { id } }
  }
`);

/** Returns the mutations of publishing. A new space goes to the head of the list. */
function newPublisher(client: ApolloClient): Publisher {
  return {
    async createUpload({ name, size, type }) {
      const { data } = await client.mutate({
        mutation: createUploadMutation, variables: { input: { fileName: name, fileSize: size, contentType: type } },
      });
      return data!.createUpload!.upload;
    },

    async completeUpload(fileUrl) {
      const { data } = await client.mutate({ mutation: completeUploadMutation, variables: { input: { fileUrl } } });
      const { confirmation } = data!.completeUpload!;
      return confirmation.__typename === 'FileStored' ? { fileId: confirmation.file.id } : { jobId: confirmation.job.id };
    },

    async createSpace(fileId) {
      await client.mutate({
        mutation: createSpaceMutation,
        variables: { input: { fileId } },
        update(cache, { data }) {
          const space = data?.createSpace?.space;
          if (!space) return;
          cache.updateQuery({ query: spacesQuery, variables: firstPage }, (list) => list?.spaces && ({
            spaces: { ...list.spaces, edges: [{ cursor: '', node: space }, ...list.spaces.edges] },
          }));
        },
      });
    },
  };
}

/** Subscribes to a job until it ends. */
function Job({ jobId, onFile, onFailed }: JobProps) {
  const { data, error } = useSubscription(jobSubscription, { variables: { id: jobId } });
  const job = data?.job;
  useEffect(() => {
    if (job?.status === 'COMPLETED' && job.file) onFile(job.file.id);
    if (job?.status === 'FAILED') onFailed(job.error ?? '');
    if (error) onFailed(error.message);
  }, [job?.status, error]);
  return <Progress percent={job?.progress ?? 0} message={job?.message ?? ''} />;
}

export function Publish() {
  const client = useApolloClient();
  return <PublishPanel publisher={useMemo(() => newPublisher(client), [client])} Job={Job} />;
}
