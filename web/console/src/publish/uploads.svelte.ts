// All uploads of this tab. They outlive a reload: what the server has goes on by itself, and
// a file that was being sent has to be chosen again, because a page cannot keep it.

import { abandonUploadMutation, cancelJobMutation, completeUploadMutation, createUploadMutation, viewerQuery } from '../server/documents.ts';
import { client } from '../server/client.ts';
import { change } from '../server/query.svelte.ts';
import { refusalOf } from '../server/refusal.ts';
import { size } from '../format.ts';
import { text } from '../i18n.svelte.ts';
import type { Source } from './drop.ts';
import { ConnectionLost, contentType, send } from './send.ts';
import { zip } from './zip.ts';

export type Step = 'waiting' | 'packing' | 'sending' | 'paused' | 'retrying' | 'confirming' | 'processing' | 'stored' | 'failed' | 'lost';

/** How many files are sent at a time. */
const parallel = 2;
const kept = 'portico.uploads';

/** What a reload keeps of an upload. */
interface Kept { name: string; size: number; step: Step; fileUrl: string; jobId: string; fileId: string; spaceUrl: string; problem: string }

export class Upload {
  readonly id = crypto.randomUUID();
  readonly name: string;
  size = $state(0);
  step = $state<Step>('waiting');
  /** The bytes that were packed or sent in this step. */
  done = $state(0);
  /** Bytes a second, smoothed; 0 while unknown. */
  speed = $state(0);
  problem = $state('');
  jobId = $state('');
  fileId = $state('');
  /** The address of the space that shows the file. */
  spaceUrl = $state('');
  source: Source | undefined;
  fileUrl = '';
  tries = 0;
  #stop: AbortController | undefined;
  #measured = { at: 0, done: 0 };

  constructor(name: string, size: number) {
    this.name = name;
    this.size = size;
  }

  get active(): boolean { return this.step === 'packing' || this.step === 'sending' || this.step === 'confirming'; }

  begin(): AbortSignal {
    this.#stop = new AbortController();
    return this.#stop.signal;
  }

  stop(): void { this.#stop?.abort(new DOMException('stopped', 'AbortError')); }

  start(step: Step): void {
    this.step = step;
    this.done = 0;
    this.speed = 0;
    this.#measured = { at: performance.now(), done: 0 };
  }

  advance(done: number): void {
    this.done = done;
    const seconds = (performance.now() - this.#measured.at) / 1000;
    if (seconds < 0.5) return;
    const speed = (done - this.#measured.done) / seconds;
    this.speed = this.speed === 0 ? speed : 0.7 * this.speed + 0.3 * speed;
    this.#measured = { at: performance.now(), done };
  }
}

class Uploads {
  list = $state<Upload[]>([]);
  /** Whether leaving the page would interrupt something. */
  busy = $derived(this.list.some(({ active }) => active));

  add(sources: readonly Source[]): void {
    for (const source of sources) {
      const lost = this.list.find(({ step, name }) => step === 'lost' && name === source.name);
      if (lost) this.list.splice(this.list.indexOf(lost), 1);
      const upload = new Upload(source.name, source.size);
      upload.source = source;
      if (source.size === 0) this.#fail(upload, text(source.entries ? 'upload.emptyFolder' : 'upload.emptyFile'));
      this.list.unshift(upload);
    }
    this.#next();
  }

  pause(upload: Upload): void {
    upload.step = 'paused';
    upload.stop();
    void this.#abandon(upload);
    this.#next();
  }

  resume(upload: Upload): void {
    upload.step = 'waiting';
    this.#next();
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

  /** Goes on with what a reload of the page interrupted. */
  restore(): void {
    const before = JSON.parse(sessionStorage.getItem(kept) ?? '[]') as Kept[];
    this.list = before.map((old) => {
      const upload = new Upload(old.name, old.size);
      Object.assign(upload, { fileUrl: old.fileUrl, jobId: old.jobId, fileId: old.fileId, spaceUrl: old.spaceUrl, problem: old.problem });
      const finished = ['processing', 'stored', 'failed', 'confirming'].includes(old.step);
      upload.step = finished ? old.step : 'lost';
      return upload;
    });
    for (const upload of this.list) {
      if (upload.step === 'confirming') void this.#confirm(upload).catch((error: unknown) => this.#fail(upload, refusalOf(error).message));
      if (upload.step === 'lost') void this.#abandon(upload);
    }
    $effect.root(() => {
      $effect(() => {
        const keeps = this.list.map(({ name, size, step, fileUrl, jobId, fileId, spaceUrl, problem }): Kept =>
          ({ name, size, step, fileUrl, jobId, fileId, spaceUrl, problem }));
        sessionStorage.setItem(kept, JSON.stringify(keeps));
      });
    });
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
      const type = contentType(upload.name, file);
      const { createUpload } = await change(createUploadMutation, { input: { fileName: upload.name, fileSize: file.size, contentType: type } });
      if (!createUpload) return;
      upload.fileUrl = createUpload.upload.url.split('?')[0] ?? '';
      await send(file, createUpload.upload, signal, (bytes) => upload.advance(bytes));
      await this.#confirm(upload);
    } catch (error) {
      if (!signal.aborted) await this.#handle(upload, error);
    }
  }

  async #pack(upload: Upload, signal: AbortSignal): Promise<Blob> {
    const { file, entries } = upload.source ?? {};
    if (file) return file;
    let read = 0;
    const archive = await zip(entries ?? [], signal, (bytes) => upload.advance(read += bytes));
    upload.size = archive.size;
    upload.source = { name: upload.name, size: archive.size, file: archive };
    return archive;
  }

  async #confirm(upload: Upload): Promise<void> {
    upload.step = 'confirming';
    const { completeUpload } = await change(completeUploadMutation, { input: { fileUrl: upload.fileUrl } });
    const confirmation = completeUpload?.confirmation;
    upload.source = undefined;
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
    if (lost || refusal.code === 'RATE_LIMITED') {
      upload.step = 'retrying';
      upload.tries += 1;
      const wait = refusal.retryAfter || Math.min(30, 2 ** upload.tries);
      upload.problem = lost ? text('upload.connection') : refusal.message;
      setTimeout(() => { if (upload.step === 'retrying') this.resume(upload); }, wait * 1000);
      return;
    }
    this.#fail(upload, refusal.code === 'QUOTA_EXCEEDED' ? await missing(upload.size, refusal.message) : refusal.message);
    void this.#abandon(upload);
  }

  #fail(upload: Upload, problem: string): void {
    upload.problem = problem;
    upload.step = 'failed';
  }

  /** Frees the storage that was reserved for bytes that will not come. */
  async #abandon(upload: Upload): Promise<void> {
    const { fileUrl } = upload;
    upload.fileUrl = '';
    if (fileUrl) await client.mutation(abandonUploadMutation, { input: { fileUrl } });
  }
}

/** Returns how much storage is missing for an upload, in words. */
async function missing(bytes: number, otherwise: string): Promise<string> {
  const { data } = await client.query(viewerQuery, {}, { requestPolicy: 'network-only' });
  const storage = data?.viewer?.storage;
  return storage && bytes > storage.free ? text('refusal.missing', { missing: size(bytes - storage.free) }) : otherwise;
}

export const uploads = new Uploads();
