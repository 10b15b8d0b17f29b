// Has the server clean up the file of an entity, by a job.

import { isTemporary, run, subscribe } from '../server/graphql.ts';
import type { Data } from '../server/space.ts';
import type { Edit } from './transform.ts';

const convertDocument = `
  mutation CleanUp($in: ConvertFileInput!) { convertFile(input: $in) { job { id } } }`;

const jobDocument = 'subscription Job($id: ID!) { job(id: $id) { status progress error } }';

const cancelDocument = 'mutation Cancel($id: ID!) { cancelJob(input: { jobId: $id }) { job { id } } }';

/** How long to wait before a lost subscription is started again, in milliseconds. */
const pause = 3000;

export interface Progress {
  status: 'QUEUED' | 'PROCESSING' | 'COMPLETED' | 'FAILED';
  progress: number;
  error: string | null;
}

/** Starts the job, and returns its id. The entity shows the result as soon as the job is completed. */
export async function startCleanUp(
  fileId: string,
  edits: readonly Edit[],
  replaceIn: { entityId: string; spaceId: string; data: Data },
): Promise<string> {
  const input = { fileId, to: 'STREAMED_SOG', edits, replaceIn };
  return (await run<{ convertFile: { job: { id: string } } }>(convertDocument, { in: input })).convertFile.job.id;
}

/** Follows a job to its end, also over connections that are lost. */
export async function followJob(id: string, heard: (job: Progress) => void, signal: AbortSignal): Promise<Progress> {
  let last: Progress | null = null;
  for (;;) {
    try {
      await subscribe<{ job: Progress }>(
        jobDocument,
        { id },
        ({ job }) => {
          last = job;
          heard(job);
        },
        signal,
      );
    } catch (problem) {
      if (!isTemporary(problem) || signal.aborted) throw problem;
    }
    if (last && ['COMPLETED', 'FAILED'].includes((last as Progress).status)) return last;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

export async function cancelJob(id: string): Promise<void> {
  await run(cancelDocument, { id });
}
