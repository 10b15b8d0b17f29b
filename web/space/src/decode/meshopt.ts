// Decodes the parts of models that meshoptimizer has compressed (EXT_meshopt_compression and
// KHR_meshopt_compression). The engine has no decoder of its own and asks for each part of a
// buffer. The decoder is WebAssembly, which the policy of the page stops, so it runs in a worker.

import workerAddress from './meshopt.worker.ts?worker&url';
import { startWorker } from './start.ts';

/** The extension of a part of a buffer, in glTF. */
interface Compression {
  buffer: number;
  byteOffset?: number;
  byteLength: number;
  byteStride: number;
  count: number;
  mode: string;
  filter?: string;
}

interface BufferView {
  extensions?: { EXT_meshopt_compression?: Compression; KHR_meshopt_compression?: Compression };
}

/** What the worker decodes: count values of a size in bytes. */
export interface Packed {
  job: number;
  source: Uint8Array;
  count: number;
  size: number;
  mode: string;
  filter?: string;
}

interface Unpacked {
  job: number;
  buffer?: Uint8Array;
  error?: string;
}

type Callback = (error: Error | null, buffer: Uint8Array | null) => void;

const callbacks = new Map<number, Callback>();
let worker: Promise<Worker> | null = null;
let jobs = 0;

async function start(): Promise<Worker> {
  const started = await startWorker(workerAddress);
  started.addEventListener('message', ({ data }: MessageEvent<Unpacked>) => {
    callBack(data.job, data.buffer ? null : new Error(data.error), data.buffer ?? null);
  });
  started.addEventListener('error', () => fail(new Error('the decoder of meshoptimizer has stopped')));
  return started;
}

/** Fails every part that is under way. The next one starts a new worker. */
function fail(error: Error): void {
  worker = null;
  for (const job of [...callbacks.keys()]) callBack(job, error, null);
}

function callBack(job: number, error: Error | null, buffer: Uint8Array | null): void {
  const callback = callbacks.get(job);
  callbacks.delete(job);
  callback?.(error, buffer);
}

/** Calls back with the decoded part of a buffer, or with null for one that is not compressed. */
function decode(view: BufferView, buffers: readonly Promise<Uint8Array>[], callback: Callback): void {
  const packed = view.extensions?.EXT_meshopt_compression ?? view.extensions?.KHR_meshopt_compression;
  const buffer = packed && buffers[packed.buffer];
  if (!packed || !buffer) {
    callback(null, null);
    return;
  }
  buffer
    .then((all) => {
      const { byteOffset = 0, byteLength, byteStride: size, count, mode, filter } = packed;
      const source = all.slice(byteOffset, byteOffset + byteLength); // the buffer stays in the page
      const job = jobs++;
      callbacks.set(job, callback);
      const message: Packed = { job, source, count, size, mode, ...(filter === undefined ? {} : { filter }) };
      worker ??= start();
      worker.then((running) => running.postMessage(message, [source.buffer]), fail);
    })
    .catch((error: Error) => callback(error, null));
}

/** The options with which the engine loads a model. Its types do not name them. */
export const modelOptions: object = { bufferView: { processAsync: decode } };
