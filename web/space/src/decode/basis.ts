// Transcodes textures of KTX2 to a format of the device. It replaces the engine's own
// module of the same name, for the reason that draco.ts names.

import wasm from 'three/examples/jsm/libs/basis/basis_transcoder.wasm?url';
import workerAddress from './basis.worker.ts?worker&url';
import { startWorker } from './start.ts';

/** What the device may read without unpacking. */
interface Device {
  extCompressedTextureASTC?: unknown;
  extCompressedTextureATC?: unknown;
  extCompressedTextureS3TC?: unknown;
  extCompressedTextureETC1?: unknown;
  extCompressedTextureETC?: unknown;
  extCompressedTexturePVRTC?: unknown;
}

interface Texture {
  format: number;
  levels: (ArrayBuffer | ArrayBuffer[] | ArrayBufferView | ArrayBufferView[])[];
}

type Callback = (error: unknown, texture?: Texture) => void;

/** The engine's formats whose pixels have 16 bits: RGB565 and RGBA4. */
const shortPixels = [3, 5];

const callbacks = new Map<string, Callback>();
let worker: Promise<Worker> | null = null;
let jobs = 0;

/** Starts the worker, which gets its program from here: it may load nothing itself. */
async function start(): Promise<Worker> {
  const response = await fetch(wasm);
  if (!response.ok) throw new Error(`the transcoder of KTX2: status ${response.status}`);
  const program = await response.arrayBuffer();
  const started = await startWorker(workerAddress);
  started.addEventListener('message', ({ data }: MessageEvent<{ url: string; err?: unknown; data?: Texture }>) => {
    callBack(data.url, data.err, data.data);
  });
  started.addEventListener('error', () => fail(new Error('the transcoder of KTX2 has stopped')));
  started.postMessage({ type: 'program', program }, [program]);
  return started;
}

function callBack(job: string, error: unknown, texture?: Texture): void {
  const callback = callbacks.get(job);
  callbacks.delete(job);
  if (texture) {
    const View = shortPixels.includes(texture.format) ? Uint16Array : Uint8Array;
    const view = (level: ArrayBuffer): ArrayBufferView => new View(level);
    texture.levels = (texture.levels as (ArrayBuffer | ArrayBuffer[])[]).map((level) =>
      Array.isArray(level) ? level.map(view) : view(level),
    );
  }
  callback?.(error, texture);
}

/** Fails every transcoding that is under way. The next one starts a new worker. */
function fail(error: unknown): void {
  worker = null;
  for (const job of [...callbacks.keys()]) callBack(job, error);
}

/** Transcodes a texture and calls back. Reports whether it can, as the engine's module does. */
export function basisTranscode(
  device: Device,
  _address: string,
  data: ArrayBuffer,
  callback: Callback,
  options: Readonly<Record<string, boolean>> = {},
): boolean {
  const url = String(jobs++);
  callbacks.set(url, callback);
  const formats = {
    astc: Boolean(device.extCompressedTextureASTC),
    atc: Boolean(device.extCompressedTextureATC),
    dxt: Boolean(device.extCompressedTextureS3TC),
    etc1: Boolean(device.extCompressedTextureETC1),
    etc2: Boolean(device.extCompressedTextureETC),
    pvr: Boolean(device.extCompressedTexturePVRTC),
  };
  worker ??= start();
  worker.then(
    (running) => running.postMessage({ type: 'transcode', url, data, options: { ...options, deviceDetails: { formats } } }),
    fail,
  );
  return true;
}

/** Does nothing: a worker is started when a model needs it. */
export function basisInitialize(): void {}
