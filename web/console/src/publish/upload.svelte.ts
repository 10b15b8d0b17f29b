// One upload, as the views show it.

import type { FileHandle, Source, Viewpoint } from './drop.ts';
import type { StoredUpload } from './uploadstore.ts';

export type Step =
  | 'waiting'
  | 'packing'
  | 'sending'
  | 'paused'
  | 'retrying'
  | 'confirming'
  | 'processing'
  | 'stored'
  | 'failed'
  | 'interrupted';

/** The steps that do not need the file any more. */
const continuing: readonly Step[] = ['confirming', 'processing', 'stored', 'failed'];

/** How many times an upload starts again because the server no longer has it. */
const maxRestarts = 3;

export class Upload {
  readonly id: string;
  readonly name: string;
  size = $state(0);
  step = $state<Step>('waiting');
  /** The bytes that were packed or sent in this step. */
  done = $state(0);
  /** Bytes a second, smoothed; 0 while unknown. */
  speed = $state(0);
  /** A sentence of the server, or the key of a message if the browser found the problem: it follows the language. */
  problem = $state('');
  /** The status of a refusal without a sentence, which the message about it shows; 0 without one. */
  status = $state(0);
  /** How long the next try waits, in seconds. */
  wait = $state(0);
  jobId = $state('');
  fileId = $state('');
  /** The address of the space that shows the file. */
  spaceUrl = $state('');
  source = $state.raw<Source | undefined>();
  /** Another file that the person chose for this interrupted upload. */
  other = $state.raw<Source | undefined>();
  /** The address that confirms or abandons the upload; empty before it is reserved. */
  fileUrl = $state('');
  /** Whether the upload can continue where it stopped. */
  resumable = $state(false);
  /** Whether the server has the whole file, so that only the confirmation is missing. */
  sent = $state(false);
  fingerprint = '';
  /** The first view of the file, which then leads straight into a space. */
  firstView: Viewpoint | undefined;
  handle = $state.raw<FileHandle | undefined>();
  /** How many times the upload was tried again since its last progress. */
  tries = 0;
  /**
   * How many times the upload started again. Progress does not reset it: an upload may be lost after
   * it, each time.
   */
  #restarts = 0;
  #stop: AbortController | undefined;
  #retryTimer = 0;
  #measured = { at: 0, done: 0 };

  /** The default id is random. Pages that are not served by HTTPS have no randomUUID. */
  constructor(name: string, size: number, id: string = crypto.getRandomValues(new Uint32Array(4)).join('-')) {
    this.name = name;
    this.size = size;
    this.id = id;
  }

  /** Returns an upload of an earlier page. */
  static from(stored: StoredUpload): Upload {
    const { id, name, size, step, ...rest } = stored;
    const upload = new Upload(name, size, id);
    Object.assign(upload, rest);
    upload.step = (continuing as readonly string[]).includes(step) ? (step as Step) : upload.sent ? 'confirming' : 'interrupted';
    return upload;
  }

  get stored(): StoredUpload {
    const { id, name, size, step, fileUrl, resumable, sent, jobId, fileId, spaceUrl, problem, status, fingerprint, handle } = this;
    return { id, name, size, step, fileUrl, resumable, sent, jobId, fileId, spaceUrl, problem, status, fingerprint, handle };
  }

  setSource(source: Source): void {
    this.source = source;
    this.fingerprint = source.fingerprint;
    this.firstView = source.firstView;
    this.handle = source.handle;
  }

  get active(): boolean {
    return this.step === 'packing' || this.step === 'sending' || this.step === 'confirming';
  }

  newSignal(): AbortSignal {
    this.#stop = new AbortController();
    return this.#stop.signal;
  }

  /** Stops what runs, and the wait for the next try. */
  stop(): void {
    clearTimeout(this.#retryTimer);
    this.#stop?.abort(new DOMException('stopped', 'AbortError'));
  }

  /** Calls retry after the wait, in seconds, unless the upload is stopped before or waits again. */
  waitToRetry(wait: number, retry: () => void): void {
    clearTimeout(this.#retryTimer);
    this.wait = wait;
    this.#retryTimer = setTimeout(retry, wait * 1000);
  }

  start(step: Step): void {
    this.step = step;
    this.resetProgress(0);
  }

  /** Whether an upload that the server no longer has may start again. */
  get canRestart(): boolean {
    return this.#restarts < maxRestarts;
  }

  /** Lets an upload that the server no longer has start from the beginning. */
  restart(): void {
    this.#restarts += 1;
    this.fileUrl = '';
    this.sent = false;
    this.resetProgress(0);
  }

  /** Sets the progress to the bytes that the server already has, which do not count for the speed. */
  resetProgress(done: number): void {
    this.done = done;
    this.speed = 0;
    this.#measured = { at: performance.now(), done };
  }

  advance(done: number): void {
    this.done = done;
    this.tries = 0;
    const seconds = (performance.now() - this.#measured.at) / 1000;
    if (seconds < 0.5) return;
    const speed = (done - this.#measured.done) / seconds;
    this.speed = this.speed === 0 ? speed : 0.7 * this.speed + 0.3 * speed;
    this.#measured = { at: performance.now(), done };
  }
}
