// Sends a file to the server and waits until a space can show it.

import { needsPieces, parallelParts, resumableFrom, sendRemaining } from 'portico-upload/resumable.ts';
import { ConnectionLost, contentType, send, TooMany } from 'portico-upload/send.ts';
import type { Request } from 'portico-upload/send.ts';
import { isProxyRefusal, isTemporary, run, ServerError, subscribe } from '../server/graphql.ts';
import { fileFields } from '../server/space.ts';
import type { FileRow } from '../server/space.ts';

/** The progress of an upload, which waits after a lost connection. The share is between 0 and 1; message is the server's description of the step. */
export type Progress = { step: 'sending' | 'waiting'; share: number } | { step: 'processing'; share: number; message: string };

interface Job {
  id: string;
  status: 'QUEUED' | 'PROCESSING' | 'COMPLETED' | 'FAILED';
  progress: number;
  message: string;
  error: string | null;
  file: FileRow | null;
}

const createDocument = `
  mutation CreateUpload($in: CreateUploadInput!) {
    createUpload(input: $in) { upload { url method headers { name value } } }
  }`;

const completeDocument = `
  mutation CompleteUpload($in: CompleteUploadInput!) {
    completeUpload(input: $in) {
      confirmation { __typename ... on FileStored { file { ${fileFields} } } ... on JobStarted { job { id } } }
    }
  }`;

const abandonDocument = 'mutation AbandonUpload($in: AbandonUploadInput!) { abandonUpload(input: $in) { __typename } }';
const deleteDocument = 'mutation DeleteFile($in: DeleteFileInput!) { deleteFile(input: $in) { __typename } }';
const cancelDocument = 'mutation CancelJob($in: CancelJobInput!) { cancelJob(input: $in) { __typename } }';
const fileOfJobDocument = 'query FileOfJob($id: ID!) { job(id: $id) { file { id } } }';

const jobDocument = `
  subscription Job($id: ID!) { job(id: $id) { id status progress message error file { ${fileFields} } } }`;

/** The response to a confirmation: a file, or the job that makes it. */
interface Confirmation {
  file?: FileRow;
  job?: { id: string };
}

/** The pauses between two attempts, in milliseconds. Each is twice the one before. */
const minWait = 1000;
const maxWait = 30_000;
/** How many times in succession a proxy may refuse a confirmation: for a minute, by the pauses. */
const maxRefusals = 7;
/**
 * How many times the connection may be lost, without a response, while a small file is sent. A
 * browser also reports a lost connection for a bucket that has no CORS rule for this page. The next
 * attempt starts when the server has reserved storage, so a network that is down for long counts
 * once.
 */
const maxLosses = 8;
/**
 * How many times the server or the bucket may respond to a small file with a fault, such as 503:
 * for half an hour, by the pauses. Without this, a fault that never passes would repeat the upload
 * for ever.
 */
const maxFaults = 64;

/** A file that the server could not process; the message is the server's. */
export class ProcessingError extends Error {}

/**
 * Uploads a file and returns it when it is ready. An abort frees what the server has reserved or
 * stored, even while the server confirms the upload.
 */
export async function upload(file: File, report: (progress: Progress) => void, signal: AbortSignal): Promise<FileRow> {
  let inPieces = file.size >= resumableFrom;
  let reserved = await reserve(file, inPieces, signal);
  let confirmation: Confirmation;
  try {
    await sendThroughLosses(file, report, signal, async (sent, isRepeated) => {
      const reserveAgain = async (): Promise<void> => {
        // First, because the account may have no storage for two.
        await untilAborted(abandon(reserved.url), signal);
        reserved = await repeat(() => reserve(file, inPieces, signal), signal);
      };
      if (!inPieces) {
        if (isRepeated) await reserveAgain();
        try {
          return await send(file, reserved, signal, sent);
        } catch (problem) {
          if (signal.aborted || !needsPieces(file, problem)) throw problem;
          inPieces = true;
          await reserveAgain();
        }
      }
      return sendRemaining(file, reserved.url, signal, sent);
    });
    confirmation = await confirm(reserved.url);
  } catch (problem) {
    void abandon(reserved.url);
    throw problem;
  }
  const { file: stored, job } = confirmation;
  if (!stored) return awaitFile(job!.id, report, signal);
  if (signal.aborted) {
    // Without this the file stays in the account.
    run(deleteDocument, { in: { fileId: stored.id } }).catch(() => {});
    throw signal.reason as Error;
  }
  return stored;
}

/** Reserves storage for a file. An abort ends the wait. A reservation that comes later is freed. */
async function reserve(file: File, resumable: boolean, signal: AbortSignal): Promise<Request> {
  signal.throwIfAborted();
  const input = {
    fileName: file.name,
    fileSize: file.size,
    contentType: contentType(file.name, file),
    ...(resumable && { resumable, parts: parallelParts }),
  };
  const creation = run<{ createUpload: { upload: Request } }>(createDocument, { in: input });
  try {
    return (await untilAborted(creation, signal)).createUpload.upload;
  } catch (problem) {
    if (signal.aborted)
      void creation.then(
        ({ createUpload }) => abandon(createUpload.upload.url),
        () => {},
      );
    throw problem;
  }
}

/** Frees the storage that is reserved for an upload. Without this the reservation ends later. */
async function abandon(fileUrl: string): Promise<void> {
  await run(abandonDocument, { in: { fileUrl } }).catch(() => {});
}

/**
 * Calls attempt, which sends the file, until the server has all of it. A large file continues where
 * it stopped. A small one starts again, with a new reservation, until maxLosses or maxFaults.
 */
async function sendThroughLosses(
  file: File,
  report: (progress: Progress) => void,
  signal: AbortSignal,
  attempt: (sent: (bytes: number) => void, isRepeated: boolean) => Promise<void>,
): Promise<void> {
  let share = 0;
  let losses = 0;
  let faults = 0;
  let isRepeated = false;
  const sent = (bytes: number): void => {
    share = bytes / file.size;
    report({ step: 'sending', share });
  };
  await repeat(
    async () => {
      await file.slice(0, 1).arrayBuffer(); // throws if the file was changed or moved: no attempt could read it
      await attempt(sent, isRepeated);
      return true;
    },
    signal,
    (problem) => {
      if (!(problem instanceof ConnectionLost || problem instanceof TooMany)) return false;
      if (problem instanceof ConnectionLost && file.size < resumableFrom) {
        if (problem.status === 0) losses += 1;
        else faults += 1;
        if (losses >= maxLosses || faults >= maxFaults) return false;
      }
      isRepeated = true;
      report({ step: 'waiting', share });
      return true;
    },
  );
}

/**
 * Confirms an upload, through lost connections and faults of the server, and through a minute of
 * refusals by a proxy, whose server may be restarting. A repeated confirmation gets the first
 * response. An abort does not end this, because the server may have confirmed the upload already, and
 * only the response names the file or the job to remove.
 */
async function confirm(fileUrl: string): Promise<Confirmation> {
  let refusals = 0;
  const attempt = () => run<{ completeUpload: { confirmation: Confirmation } }>(completeDocument, { in: { fileUrl } });
  const { completeUpload } = await repeat(attempt, undefined, (problem) => {
    refusals = isProxyRefusal(problem) ? refusals + 1 : 0;
    return isTemporary(problem) && refusals < maxRefusals;
  });
  return completeUpload.confirmation;
}

/**
 * Waits for the job that processes an upload, through lost connections and faults of the server. It
 * also waits while a proxy refuses to show the job, because the job may still store its file.
 */
async function awaitFile(id: string, report: (progress: Progress) => void, signal: AbortSignal): Promise<FileRow> {
  const discard = (): void => void discardJob(id).catch(() => {}); // without a response the file may stay
  signal.addEventListener('abort', discard, { once: true });
  if (signal.aborted) discard(); // while the server confirmed the upload
  let job: Job;
  try {
    job = await repeat(() => followJob(id, report, signal), signal);
  } finally {
    signal.removeEventListener('abort', discard);
  }
  signal.throwIfAborted(); // the file is being deleted
  if (!job.file) throw new ProcessingError(job.error ?? '');
  return job.file;
}

/** Cancels the job of an upload. A job that has ended cannot be canceled: its file is deleted. */
async function discardJob(id: string): Promise<void> {
  try {
    await run(cancelDocument, { in: { jobId: id } });
  } catch {
    const { job } = await run<{ job: { file: { id: string } | null } | null }>(fileOfJobDocument, { id });
    if (job?.file) await run(deleteDocument, { in: { fileId: job.file.id } });
  }
}

/** Follows a job and returns it, or null if the subscription ends before the job does. */
async function followJob(id: string, report: (progress: Progress) => void, signal: AbortSignal): Promise<Job | null> {
  let ended = null as Job | null;
  try {
    await subscribe<{ job: Job }>(
      jobDocument,
      { id },
      ({ job }) => {
        if (job.status === 'COMPLETED' || job.status === 'FAILED') ended = job;
        report({ step: 'processing', share: job.progress / 100, message: job.message });
      },
      signal,
    );
  } catch (problem) {
    // A connection that is lost after the end of the job does not matter.
    if (!ended || signal.aborted) throw problem;
  }
  return ended;
}

/**
 * Calls attempt until it returns a value, with longer and longer pauses, and never earlier than the
 * server asks. It throws an error that does not pass, and the reason of an abort, which ends a
 * pause.
 */
async function repeat<T>(attempt: () => Promise<T | null>, signal?: AbortSignal, passes = isTemporary): Promise<T> {
  for (let wait = minWait; ; wait = Math.min(wait * 2, maxWait)) {
    let minPause = 0;
    try {
      const value = await attempt();
      if (value !== null) return value;
    } catch (problem) {
      signal?.throwIfAborted();
      if (!passes(problem)) throw problem;
      minPause = retryAfter(problem);
    }
    await pause(Math.max(wait, minPause), signal);
  }
}

/** Returns how long the server asks to wait, in milliseconds; 0 if it does not say. */
function retryAfter(problem: unknown): number {
  if (problem instanceof TooMany) return problem.retryAfter * 1000;
  const seconds = problem instanceof ServerError ? Number(problem.extensions['retryAfterSeconds']) : 0;
  return (seconds || 0) * 1000;
}

/**
 * Returns the result of work, or throws the reason of an abort. The work continues after that: a
 * mutation has no time limit, and its connection may be dead.
 */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let abort = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Waits, in milliseconds. An abort ends the wait. */
function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener('abort', end);
  });
}
