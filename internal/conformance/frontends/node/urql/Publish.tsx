import type { AnyVariables, Client, TypedDocumentNode } from '@urql/core';
import { useEffect, useMemo } from 'react';
import { useClient, useSubscription } from 'urql';

import { graphql } from '../shared/graphql';
import { type JobProps, Progress, type Publisher, PublishPanel } from '../shared/PublishPanel';
import { textOf } from './client';
import { createSpaceMutation } from './spaces';

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

const jobSubscription = graphql(`
  subscription Job($id: ID!) {
    job(id: $id) { id status progress message error file { id } }
  }
`);

/** Returns the data of a mutation, and rejects with the text of its refusal. */
export async function mutate<Data, Variables extends AnyVariables>(
  client: Client, mutation: TypedDocumentNode<Data, Variables>, variables: Variables,
): Promise<Data> {
  const { data, error } = await client.mutation(mutation, variables).toPromise();
  if (error) throw new Error(textOf(error));
  return data!;
}

/** Returns the mutations of publishing. The cache adds the new space to the list. */
function newPublisher(client: Client): Publisher {
  return {
    async createUpload({ name, size, type }) {
      const input = { fileName: name, fileSize: size, contentType: type };
      return (await mutate(client, createUploadMutation, { input })).createUpload!.upload;
    },

    async completeUpload(fileUrl) {
      const { confirmation } = (await mutate(client, completeUploadMutation, { input: { fileUrl } })).completeUpload!;
      return confirmation.__typename === 'FileStored' ? { fileId: confirmation.file.id } : { jobId: confirmation.job.id };
    },

    async createSpace(fileId) {
      await mutate(client, createSpaceMutation, { input: { fileId } });
    },
  };
}

/** Subscribes to a job until it ends. */
function Job({ jobId, onFile, onFailed }: JobProps) {
  const [{ data, error }] = useSubscription({ query: jobSubscription, variables: { id: jobId } });
  const job = data?.job;
  useEffect(() => {
    if (job?.status === 'COMPLETED' && job.file) onFile(job.file.id);
    if (job?.status === 'FAILED') onFailed(job.error ?? '');
    if (error) onFailed(error.message);
  }, [job?.status, error]);
  return <Progress percent={job?.progress ?? 0} message={job?.message ?? ''} />;
}

export function Publish() {
  const client = useClient();
  return <PublishPanel publisher={useMemo(() => newPublisher(client), [client])} Job={Job} />;
}
