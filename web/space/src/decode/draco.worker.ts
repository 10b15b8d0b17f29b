// The worker that decodes meshes of Draco: the engine's, with the decoder of Draco's makers.

import createDecoder from 'draco3d/draco_decoder_nodejs.js';
import { DracoWorker } from 'playcanvas/build/playcanvas/src/framework/parsers/draco-worker.js';

Object.assign(self, { DracoDecoderModule: createDecoder });
DracoWorker(self);
self.addEventListener('message', async ({ data }: MessageEvent<{ type: string; program: ArrayBuffer }>) => {
  if (data.type !== 'program') return;
  const module = await WebAssembly.compile(data.program);
  self.dispatchEvent(new MessageEvent('message', { data: { type: 'init', module } }));
});
