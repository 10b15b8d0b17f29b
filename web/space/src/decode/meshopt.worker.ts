// The worker that decodes buffers of meshoptimizer, with the decoder of its makers.

import { MeshoptDecoder } from 'meshoptimizer/decoder';
import type { Packed } from './meshopt.ts';

self.addEventListener('message', async ({ data }: MessageEvent<Packed>) => {
  const { job, source, count, size, mode, filter } = data;
  try {
    await MeshoptDecoder.ready;
    const buffer = new Uint8Array(count * size);
    MeshoptDecoder.decodeGltfBuffer(buffer, count, size, source, mode, filter);
    self.postMessage({ job, buffer }, { transfer: [buffer.buffer] });
  } catch (error) {
    self.postMessage({ job, error: String(error) });
  }
});
