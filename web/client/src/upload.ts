// Uploads that continue after a lost connection.

import { needsPieces, parallelParts, resumableFrom, sendRemaining, type Server } from 'portico-upload/resumable.ts';
import { ConnectionLost, contentType, send, UploadGone } from 'portico-upload/send.ts';
import { abandonUpload, cancelJob, completeUpload, createUpload, type StoredFile } from './documents.ts';
import { PorticoError, porticoError } from './error.ts';
import type { UploadOptions } from './options.ts';
import type { Portico } from './portico.ts';
import { retrying } from './retry.ts';

/** How many times an upload starts again because the server no longer has it. */
const maxRestarts = 3;

/** Sends a file, and returns it when the server has stored and processed it. */
export async function upload(portico: Portico, server: Server, file: Blob, options: UploadOptions): Promise<StoredFile> {
  const sending = new Sending(portico, server, file, options);
  const signal = options.signal ?? new AbortController().signal;
  try {
    await retrying(signal, (progressed) => sending.send(signal, progressed));
    return await sending.confirm(signal);
  } catch (error) {
    if (signal.aborted) await sending.abandon();
    if (signal.aborted || sending.resume === '') throw error;
    throw porticoError(error, { resume: sending.resume });
  }
}

class Sending {
  /** The address of the upload; empty before the server has reserved its storage. */
  private address: string;
  private inPieces: boolean;
  private jobId = '';
  private restarts = 0;

  constructor(
    private readonly portico: Portico,
    private readonly server: Server,
    private readonly file: Blob,
    private readonly options: UploadOptions,
  ) {
    this.address = options.resume ?? '';
    this.inPieces = this.address !== '' || file.size >= resumableFrom;
  }

  get resume(): string {
    return this.inPieces ? this.address : '';
  }

  async send(signal: AbortSignal, progressed: () => void): Promise<void> {
    const { file, options } = this;
    const sent = (bytes: number): void => {
      progressed();
      options.onProgress?.({ step: 'sending', sent: bytes, total: file.size, resume: this.resume });
    };
    if (!this.inPieces) await this.abandon(); // what the last try has reserved
    if (!this.address) {
      const request = await this.reserve(signal);
      progressed();
      if (!this.inPieces) {
        sent(0);
        return send(file, request, signal, sent).catch((error: unknown) => {
          if (signal.aborted || !needsPieces(file, error)) throw error;
          return this.sendInPieces(signal, progressed);
        });
      }
    }
    await sendRemaining(file, this.address, signal, sent, this.server).catch((error: unknown) => {
      if (!(error instanceof UploadGone) || ++this.restarts > maxRestarts) throw error;
      this.address = '';
      throw new ConnectionLost();
    });
  }

  /** Sends a file in pieces that could not be sent as a whole. */
  private async sendInPieces(signal: AbortSignal, progressed: () => void): Promise<void> {
    await this.abandon();
    this.inPieces = true;
    await this.send(signal, progressed);
  }

  private async reserve(signal: AbortSignal): Promise<{ url: string; method: string; headers: { name: string; value: string }[] }> {
    const { file, inPieces } = this;
    const { fileName = file instanceof File ? file.name : '', convertTo = null, ...options } = this.options;
    const { createUpload: created } = await this.portico.run(createUpload, {
      input: {
        fileName,
        fileSize: file.size,
        contentType: options.contentType ?? contentType(fileName, file),
        convertTo,
        ...(inPieces && { resumable: true, parts: parallelParts }),
      },
    });
    const request = created!.upload;
    this.address = request.url.split('?')[0]!;
    signal.throwIfAborted();
    return request;
  }

  async confirm(signal: AbortSignal): Promise<StoredFile> {
    const { completeUpload: completed } = await retrying(signal, (progressed) => {
      progressed();
      return this.portico.run(completeUpload, { input: { fileUrl: this.address } });
    });
    const confirmation = completed!.confirmation;
    this.inPieces = false; // it cannot be continued
    if (confirmation.__typename === 'FileStored') return confirmation.file;
    this.jobId = confirmation.job.id;
    let last = confirmation.job;
    for await (const job of this.portico.watchJob(this.jobId, { signal })) {
      last = job;
      this.options.onProgress?.({ step: 'processing', job });
    }
    signal.throwIfAborted();
    if (last.file) return last.file;
    throw new PorticoError(last.error ?? 'The file was deleted', 'JOB_FAILED', { jobId: last.jobId });
  }

  /** Frees the storage of an upload that is given up. What cannot be abandoned ends by itself, within a day. */
  async abandon(): Promise<void> {
    const { address, jobId } = this;
    this.address = '';
    if (jobId) await this.portico.run(cancelJob, { input: { jobId } }).catch(() => {});
    else if (address) await this.portico.run(abandonUpload, { input: { fileUrl: address } }).catch(() => {});
  }
}
