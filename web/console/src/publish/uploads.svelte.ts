// All uploads of this tab. They outlive the page: what the server has goes on by itself, and
// a file that was being sent goes on when the browser can open it again, or the person has.

import { abandonUploadMutation, cancelJobMutation, completeUploadMutation, createUploadMutation, viewerQuery } from '../server/documents.ts';
import { client } from '../server/client.ts';
import { change } from '../server/query.svelte.ts';
import { refusalOf } from '../server/refusal.ts';
import { size } from '../format.ts';
import { text } from '../i18n.svelte.ts';
import { reopen, type Source } from './drop.ts';
import { Queue } from './queue.ts';
import { arrived, parallelParts, sendRest } from './resumable.ts';
import { ConnectionLost, contentType, send, TooMany, UploadGone } from './send.ts';
import { Upload } from './upload.svelte.ts';
import { zip } from './zip.ts';

/** How many files are sent at a time. */
const parallel = 2;
/**
 * Larger files are sent in a way that can be continued. A smaller file is sent again sooner
 * than the bytes of all would take the way through this server into a bucket.
 */
const resumableFrom = 32 * 1024 * 1024;

class Uploads {
  list = $state<Upload[]>([]);
  /** Whether leaving the page would interrupt something. */
  busy = $derived(this.list.some(({ active }) => active));

  add(sources: readonly Source[]): void {
    for (const source of sources) {
      const lost = this.list.find(({ step, name }) => step === 'lost' && name === source.name);
      if (lost?.mark === source.mark) {
        this.#resumeWith(lost, source);
        continue;
      }
      if (lost) void this.remove(lost);
      const upload = new Upload(source.name, source.size);
      upload.take(source);
      if (source.size === 0) this.#fail(upload, text(source.entries ? 'upload.emptyFolder' : 'upload.emptyFile'));
      this.list.unshift(upload);
    }
    this.#next();
  }

  pause(upload: Upload): void {
    upload.step = 'paused';
    upload.stop();
    if (!upload.resumable) void this.#abandon(upload);
    this.#next();
  }

  resume(upload: Upload): void {
    upload.step = 'waiting';
    this.#next();
  }

  /** Opens the file of an upload of an earlier page again, and reports whether it could. */
  async reopen(upload: Upload, ask: boolean): Promise<boolean> {
    const source = upload.handle && await reopen(upload.handle, ask);
    if (!source || source.mark !== upload.mark || upload.step !== 'lost') return false;
    this.#resumeWith(upload, source);
    return true;
  }

  /** Stops an upload or its job, and forgets it. */
  async remove(upload: Upload): Promise<void> {
    const { step } = upload;
    this.list.splice(this.list.indexOf(upload), 1);
    upload.stop();
    if (step === 'processing') await client.mutation(cancelJobMutation, { input: { jobId: upload.jobId } });
    else if (step !== 'stored' && step !== 'failed') await this.#abandon(upload);
    this.#next();
  }

  /** Goes on with what closed pages of an account have left, and keeps the uploads of this one. */
  restore(userId: string): void {
    const queue = new Queue(userId);
    // A browser that keeps nothing for pages can upload all the same.
    const ignore = () => {};
    queue.restore((kept) => void this.#adopt(Upload.from(kept))).catch(ignore);
    $effect.root(() => {
      $effect(() => { queue.save(this.list.map(({ kept }) => kept)).catch(ignore); });
    });
  }

  async #adopt(upload: Upload): Promise<void> {
    this.list.push(upload);
    if (upload.step === 'confirming') await this.#confirm(upload).catch((error: unknown) => this.#fail(upload, refusalOf(error).message));
    if (upload.step !== 'lost') return;
    if (!upload.resumable) void this.#abandon(upload);
    else if (upload.fileUrl) {
      await arrived(upload.fileUrl).then((bytes) => upload.skip(bytes)).catch((error: unknown) => {
        if (error instanceof UploadGone) this.#forget(upload);
      });
    }
    await this.reopen(upload, false);
  }

  #resumeWith(upload: Upload, source: Source): void {
    upload.take(source);
    this.resume(upload);
  }

  #next(): void {
    const waiting = this.list.findLast(({ step }) => step === 'waiting'); // the newest are first
    if (!waiting || this.list.filter(({ active }) => active).length >= parallel) return;
    void this.#run(waiting).finally(() => this.#next());
    this.#next();
  }

  async #run(upload: Upload): Promise<void> {
    const signal = upload.begin();
    upload.start(upload.source?.file ? 'sending' : 'packing'); // at once, so that it is not taken twice
    try {
      const file = await this.#pack(upload, signal);
      if (upload.step === 'packing') upload.start('sending');
      await this.#send(upload, file, signal);
      if (!signal.aborted) await this.#confirm(upload);
    } catch (error) {
      if (!signal.aborted) await this.#handle(upload, error);
    }
  }

  async #pack(upload: Upload, signal: AbortSignal): Promise<Blob> {
    const { file, entries, mark = '' } = upload.source ?? {};
    if (file) return file;
    let read = 0;
    const archive = await zip(entries ?? [], signal, (bytes) => upload.advance(read += bytes));
    upload.size = archive.size;
    upload.source = { name: upload.name, size: archive.size, file: archive, mark };
    return archive;
  }

  async #send(upload: Upload, file: Blob, signal: AbortSignal): Promise<void> {
    if (upload.tries > 0) await readable(file);
    const advance = (bytes: number) => upload.advance(bytes);
    if (!upload.fileUrl || !upload.resumable) {
      upload.resumable = file.size >= resumableFrom;
      const { createUpload } = await change(createUploadMutation, { input: {
        fileName: upload.name, fileSize: file.size, contentType: contentType(upload.name, file),
        ...(upload.resumable && { resumable: true, parts: parallelParts }),
      } });
      const fileUrl = createUpload?.upload.url.split('?')[0] ?? '';
      if (signal.aborted) return void abandon(fileUrl);
      upload.fileUrl = fileUrl;
      if (!upload.resumable && createUpload) return send(file, createUpload.upload, signal, advance);
    }
    let first = true;
    await sendRest(file, upload.fileUrl, signal, (bytes) => {
      if (first) upload.skip(bytes);
      else upload.advance(bytes);
      first = false;
    });
  }

  async #confirm(upload: Upload): Promise<void> {
    upload.step = 'confirming';
    const { completeUpload } = await change(completeUploadMutation, { input: { fileUrl: upload.fileUrl } });
    const confirmation = completeUpload?.confirmation;
    upload.source = upload.handle = undefined;
    if (confirmation?.__typename === 'JobStarted') {
      upload.jobId = confirmation.job.id;
      upload.step = 'processing';
    } else if (confirmation) {
      upload.fileId = confirmation.file.id;
      upload.step = 'stored';
    }
  }

  /** Tries again where that helps, and else says what to do. */
  async #handle(upload: Upload, error: unknown): Promise<void> {
    const refusal = refusalOf(error);
    const lost = error instanceof ConnectionLost || refusal.code === 'NETWORK';
    if (error instanceof UploadGone && upload.tries < 3) this.#forget(upload);
    else if (!lost && refusal.code !== 'RATE_LIMITED' && !(error instanceof TooMany)) {
      this.#fail(upload, refusal.code === 'QUOTA_EXCEEDED' ? await missing(upload.size, refusal.message) : refusal.message || text('refusal.gone'));
      void this.#abandon(upload);
      return;
    }
    upload.step = 'retrying';
    upload.tries += 1;
    const wait = error instanceof TooMany ? error.retryAfter : refusal.retryAfter || Math.min(30, 2 ** upload.tries);
    upload.problem = lost || error instanceof UploadGone ? text(upload.resumable ? 'upload.goesOn' : 'upload.connection') : text('refusal.rate', { seconds: wait });
    setTimeout(() => { if (upload.step === 'retrying') this.resume(upload); }, wait * 1000);
  }

  #fail(upload: Upload, problem: string): void {
    upload.problem = problem;
    upload.step = 'failed';
  }

  /** Lets an upload that the server does not have any more start from the beginning. */
  #forget(upload: Upload): void {
    upload.fileUrl = '';
    upload.skip(0);
  }

  /** Frees the storage that was reserved for bytes that will not come. */
  async #abandon(upload: Upload): Promise<void> {
    const { fileUrl } = upload;
    upload.fileUrl = '';
    if (fileUrl) await abandon(fileUrl);
  }
}

async function abandon(fileUrl: string): Promise<void> { await client.mutation(abandonUploadMutation, { input: { fileUrl } }); }

/** Refuses a file that was changed or moved since it was chosen: browsers cannot read it again. */
async function readable(file: Blob): Promise<void> {
  await file.slice(0, 1).arrayBuffer().catch(() => { throw new Error(text('upload.changed')); });
}

/** Returns how much storage is missing for an upload, in words. */
async function missing(bytes: number, otherwise: string): Promise<string> {
  const { data } = await client.query(viewerQuery, {}, { requestPolicy: 'network-only' });
  const storage = data?.viewer?.storage;
  return storage && bytes > storage.free ? text('refusal.missing', { missing: size(bytes - storage.free) }) : otherwise;
}

export const uploads = new Uploads();
