// The worker that transcodes textures of KTX2: the engine's, with the transcoder of Basis Universal.

import createTranscoder from 'three/examples/jsm/libs/basis/basis_transcoder.js';
import { BasisWorker } from 'playcanvas/build/playcanvas/src/framework/handlers/basis-worker.js';

/** The order in which the formats of a device are tried: the first ones look best or are the smallest. */
const rgbPriority = ['etc2', 'etc1', 'astc', 'dxt', 'pvr', 'atc'];
const rgbaPriority = ['astc', 'dxt', 'etc2', 'pvr', 'atc'];

Object.assign(self, { BASIS: createTranscoder });
BasisWorker();
self.addEventListener('message', async ({ data }: MessageEvent<{ type: string; program: ArrayBuffer }>) => {
  if (data.type !== 'program') return;
  const module = await WebAssembly.compile(data.program);
  self.dispatchEvent(new MessageEvent('message', { data: { type: 'init', config: { module, rgbPriority, rgbaPriority } } }));
});
