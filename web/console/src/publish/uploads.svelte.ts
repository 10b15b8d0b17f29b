// All uploads of this tab. They survive the page: the server continues its own work, and a file that
// was being sent continues when the browser or the person opens it again.

import {
  abandonUploadMutation,
  cancelJobMutation,
  completeUploadMutation,
  createUploadMutation,
  deleteFileMutation,
  jobQuery,
  updateFileMutation,
  viewerQuery,
} from '../server/documents.ts';
import { client } from '../server/client.ts';
import { mutate } from '../server/query.svelte.ts';
import { LocalFailure, refusalOf } from '../server/refusal.ts';
import { size } from '../format.ts';
import { text } from '../i18n.svelte.ts';
import { reopen, type Source } from './drop.ts';
import { UploadStore } from './uploadstore.ts';
import { needsPieces, parallelParts, resumableFrom, sendRemaining, uploadedBytes } from 'portico-upload/resumable.ts';
import { ConnectionLost, contentType, Refused, send, TooMany, UploadGone } from 'portico-upload/send.ts';
import { Upload } from './upload.svelte.ts';
import { zip } from './zip.ts';

/** How many files are sent at a time. */
const parallel = 2;

class Uploads {
  list = $state<Upload[]>([]);
  /** Whether leaving the page would interrupt something. */
  busy = $derived(this.list.some(({ active }) => active));

  /**
   * Uploads files. A file whose upload was interrupted continues. If the person chose the file for an
   * interrupted upload, and it is another one, the upload asks what to do.
   */
  add(sources: readonly Source[], wanted?: Upload): void {
    for (const source of sources) {
      const interrupted = this.list.filter(({ step }) => step === 'interrupted');
      const namesakes = interrupted.filter(({ name }) => name === source.name);
      const same = namesakes.find(({ fingerprint }) => fingerprint === source.fingerprint);
      const asked = wanted && interrupted.includes(wanted) ? wanted : namesakes.length === 1 ? namesakes[0] : undefined;
      if (same) this.#resumeWith(same, source);
      else if (asked) asked.other = source;
      else this.#add(source);
    }
    this.#next();
  }

  /** Gives an interrupted upload up for the other file that the person chose. */
  replace(upload: Upload): void {
    const { other } = upload;
    void this.remove(upload);
    if (other) this.#add(other);
    this.#next();
  }

  #add(source: Source): void {
    const upload = new Upload(source.name, source.size);
    upload.setSource(source);
    if (source.size === 0) this.#fail(upload, source.entries ? 'upload.emptyFolder' : 'upload.emptyFile');
    this.list.unshift(upload);
  }

  pause(upload: Upload): void {
    upload.step = 'paused';
    upload.stop();
    if (!upload.resumable && !upload.sent) void this.#abandon(upload);
    this.#next();
  }

  resume(upload: Upload): void {
    upload.step = 'waiting';
    this.#next();
  }

  /** Opens the file of an upload of an earlier page again, and reports whether it could. */
  async reopen(upload: Upload, ask: boolean): Promise<boolean> {
    const source = upload.handle && (await reopen(upload.handle, ask));
    if (!source || source.fingerprint !== upload.fingerprint || upload.step !== 'interrupted') return false;
    this.#resumeWith(upload, source);
    return true;
  }

  /** Stops an upload or its job, and forgets it. */
  async remove(upload: Upload): Promise<void> {
    const { step } = upload;
    const index = this.list.indexOf(upload);
    if (index < 0) return; // the person clicked twice
    this.list.splice(index, 1);
    upload.stop();
    if (step === 'processing') await discardJob(upload.jobId);
    else if (step !== 'stored' && step !== 'failed') await this.#abandon(upload);
    this.#next();
  }

  /** Continues the uploads of closed pages of an account, and stores the uploads of this one. */
  restore(userId: string): void {
    const store = new UploadStore(userId);
    // A browser that keeps nothing for pages can upload all the same.
    const ignore = () => {};
    store.restore((stored) => void this.#adopt(Upload.from(stored))).catch(ignore);
    $effect.root(() => {
      $effect(() => {
        store.save(this.list.map(({ stored }) => stored)).catch(ignore);
      });
    });
  }

  async #adopt(upload: Upload): Promise<void> {
    this.list.push(upload);
    // What is over is in the list of files, and does not come back.
    if (upload.step === 'stored' || upload.step === 'failed') return this.remove(upload);
    if (upload.step === 'confirming') await this.#run(upload);
    if (upload.step !== 'interrupted') return;
    if (!upload.resumable) void this.#abandon(upload);
    else if (upload.fileUrl) {
      await uploadedBytes(upload.fileUrl)
        .then((bytes) => upload.resetProgress(bytes))
        .catch((error: unknown) => {
          if (error instanceof UploadGone) upload.restart();
        });
    }
    await this.reopen(upload, false);
  }

  #resumeWith(upload: Upload, source: Source): void {
    upload.other = undefined;
    upload.setSource(source);
    this.resume(upload);
  }

  #next(): void {
    const waiting = this.list.findLast(({ step }) => step === 'waiting'); // the newest are first
    if (!waiting || this.list.filter(({ active }) => active).length >= parallel) return;
    void this.#run(waiting).finally(() => this.#next());
    this.#next();
  }

  async #run(upload: Upload): Promise<void> {
    const signal = upload.newSignal();
    upload.start(upload.sent ? 'confirming' : upload.source?.file ? 'sending' : 'packing'); // before the first await, so that it is not started twice
    try {
      if (!upload.sent) {
        const file = await this.#pack(upload, signal);
        if (upload.step === 'packing') upload.start('sending');
        await this.#send(upload, file, signal);
      }
      if (!signal.aborted) await this.#confirm(upload);
    } catch (error) {
      if (!signal.aborted) await this.#handle(upload, error);
    }
  }

  async #pack(upload: Upload, signal: AbortSignal): Promise<Blob> {
    const { file, entries, fingerprint = '' } = upload.source ?? {};
    if (file) return file;
    let read = 0;
    const archive = await zip(entries ?? [], signal, (bytes) => {
      read += bytes;
      upload.advance(read);
    });
    upload.size = archive.size;
    upload.source = { name: upload.name, size: archive.size, file: archive, fingerprint };
    return archive;
  }

  /** Sends a file. A small one goes in pieces, too, if it cannot be sent as a whole. */
  async #send(upload: Upload, file: Blob, signal: AbortSignal, inPieces = file.size >= resumableFrom): Promise<void> {
    if (upload.tries > 0) await checkReadable(file);
    signal.throwIfAborted(); // otherwise a run that was stopped abandons what the next one has reserved
    const advance = (bytes: number) => upload.advance(bytes);
    if (!upload.fileUrl || !upload.resumable) {
      await this.#abandon(upload); // the storage that the last try reserved
      upload.resumable = inPieces;
      const { createUpload } = await mutate(createUploadMutation, {
        input: {
          fileName: upload.name,
          fileSize: file.size,
          contentType: contentType(upload.name, file),
          ...(upload.resumable && { resumable: true, parts: parallelParts }),
        },
      });
      const fileUrl = createUpload?.upload.url.split('?')[0] ?? '';
      if (signal.aborted) return void abandon(fileUrl);
      upload.fileUrl = fileUrl;
      if (!upload.resumable && createUpload) {
        return send(file, createUpload.upload, signal, advance).catch((error: unknown) => {
          if (signal.aborted || !needsPieces(file, error)) throw error;
          return this.#send(upload, file, signal, true);
        });
      }
    }
    let first = true;
    await sendRemaining(file, upload.fileUrl, signal, (bytes) => {
      if (first) upload.resetProgress(bytes);
      else upload.advance(bytes);
      first = false;
    });
  }

  async #confirm(upload: Upload): Promise<void> {
    upload.sent = true;
    upload.step = 'confirming';
    const { completeUpload } = await mutate(completeUploadMutation, { input: { fileUrl: upload.fileUrl } });
    const confirmation = completeUpload?.confirmation;
    upload.source = upload.handle = undefined;
    if (!this.list.includes(upload)) {
      // removed in the meantime, too late to abandon it
      if (confirmation?.__typename === 'JobStarted') await discardJob(confirmation.job.id);
      else if (confirmation) await client.mutation(deleteFileMutation, { input: { fileId: confirmation.file.id } });
    } else if (confirmation?.__typename === 'JobStarted') {
      upload.jobId = confirmation.job.id;
      upload.step = 'processing';
    } else if (confirmation) {
      upload.fileId = confirmation.file.id;
      const { firstView: start, fileId } = upload;
      // Without it, the start is the one that the server finds.
      if (start) await client.mutation(updateFileMutation, { input: { fileId, start } });
      upload.step = 'stored';
    }
  }

  /** Tries again where that helps, and else says what to do. */
  async #handle(upload: Upload, error: unknown): Promise<void> {
    const refusal = refusalOf(error);
    // A fault of the server, such as a database that restarts, passes like a lost connection.
    const lost = error instanceof ConnectionLost || refusal.code === 'NETWORK' || refusal.code === 'INTERNAL';
    if (error instanceof UploadGone && upload.canRestart) upload.restart();
    else if (!lost && refusal.code !== 'RATE_LIMITED' && !(error instanceof TooMany)) {
      upload.status = error instanceof Refused ? error.status : 0;
      const isFull = refusal.reason === 'STORAGE_FULL';
      this.#fail(
        upload,
        isFull ? await storageRefusal(upload.size, refusal.message) : (refusal.key ?? (refusal.message || 'refusal.NOT_FOUND')),
      );
      void this.#abandon(upload);
      return;
    }
    upload.step = 'retrying';
    upload.tries += 1;
    const wait = error instanceof TooMany ? error.retryAfter : refusal.retryAfter || Math.min(30, 2 ** upload.tries);
    const isLimited = !lost && !(error instanceof UploadGone);
    const continues = upload.resumable || upload.sent;
    if (isLimited) upload.problem = 'refusal.RATE_LIMITED';
    else upload.problem = continues ? 'upload.continuesSoon' : 'upload.connection';
    upload.waitToRetry(wait, () => {
      if (upload.step === 'retrying') this.resume(upload);
    });
  }

  #fail(upload: Upload, problem: string): void {
    upload.problem = problem;
    upload.step = 'failed';
  }

  /** Frees the storage that is reserved for an upload that is given up. */
  async #abandon(upload: Upload): Promise<void> {
    const { fileUrl } = upload;
    upload.fileUrl = '';
    upload.sent = false;
    if (fileUrl) await abandon(fileUrl);
  }
}

async function abandon(fileUrl: string): Promise<void> {
  await client.mutation(abandonUploadMutation, { input: { fileUrl } });
}

/** Cancels the job of an upload. A job that has ended cannot be canceled: its file is deleted. */
async function discardJob(jobId: string): Promise<void> {
  const { error } = await client.mutation(cancelJobMutation, { input: { jobId } });
  if (!error) return;
  const { data } = await client.query(jobQuery, { id: jobId }, { requestPolicy: 'network-only' });
  const file = data?.job?.file;
  if (file) await client.mutation(deleteFileMutation, { input: { fileId: file.id } });
}

/** Refuses a file that was changed or moved since it was chosen: browsers cannot read it again. */
async function checkReadable(file: Blob): Promise<void> {
  await file
    .slice(0, 1)
    .arrayBuffer()
    .catch(() => {
      throw new LocalFailure('upload.changed');
    });
}

/** Returns how much storage is missing for an upload, in words. */
async function storageRefusal(bytes: number, otherwise: string): Promise<string> {
  const { data } = await client.query(viewerQuery, {}, { requestPolicy: 'network-only' });
  const storage = data?.viewer?.storage;
  return storage && bytes > storage.free ? text('refusal.missing', { missing: size(bytes - storage.free) }) : otherwise;
}

export const uploads = new Uploads();
