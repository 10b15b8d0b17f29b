// Decodes meshes that Draco has compressed. It replaces the engine's own module of
// the same name, whose workers come from blobs: those have the policy of the page, which
// allows no WebAssembly. A worker with a file of its own has a policy of its own.

import wasm from 'draco3d/draco_decoder.wasm?url';
import workerAddress from './draco.worker.ts?worker&url';
import { startWorker } from './start.ts';

/** A decoded mesh, or what is wrong with it. */
interface Decoded {
  error?: string | Error;
  indices?: ArrayBuffer;
  vertices?: ArrayBuffer;
  attributes?: { id: number; dataType: number; numComponents: number; offset: number }[];
  stride?: number;
}

type Callback = (error: string | Error | undefined, mesh?: Decoded) => void;

const callbacks = new Map<number, Callback>();
let worker: Promise<Worker> | null = null;
let jobs = 0;

/** Starts the worker, which gets its program from here: it may load nothing itself. */
async function start(): Promise<Worker> {
  const response = await fetch(wasm);
  if (!response.ok) throw new Error(`the decoder of Draco: status ${response.status}`);
  const program = await response.arrayBuffer();
  const started = await startWorker(workerAddress);
  started.addEventListener('message', ({ data }: MessageEvent<Decoded & { jobId: number }>) => callBack(data.jobId, data));
  started.addEventListener('error', () => fail(new Error('the decoder of Draco has stopped')));
  started.postMessage({ type: 'program', program }, [program]);
  return started;
}

function callBack(job: number, mesh: Decoded): void {
  const callback = callbacks.get(job);
  callbacks.delete(job);
  callback?.(mesh.error, mesh);
}

/** Fails every decoding that is under way. The next one starts a new worker. */
function fail(error: Error): void {
  worker = null;
  for (const job of [...callbacks.keys()]) callBack(job, { error });
}

/** Decodes a mesh and calls back. Reports whether it can, as the engine's module does. */
export function dracoDecode(buffer: ArrayBuffer, callback: Callback): boolean {
  const jobId = jobs++;
  callbacks.set(jobId, callback);
  worker ??= start();
  worker.then((running) => running.postMessage({ type: 'decodeMesh', jobId, buffer }, [buffer]), fail);
  return true;
}

/** Does nothing: a worker is started when a model needs it. */
export function dracoInitialize(): void {}
