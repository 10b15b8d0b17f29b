// Writes vectors.json with the encoder and the decoder of the npm package meshoptimizer:
//   npm install meshoptimizer@1.2.0 && node vectors.mjs > vectors.json
import { MeshoptDecoder, MeshoptEncoder } from 'meshoptimizer';

await Promise.all([MeshoptDecoder.ready, MeshoptEncoder.ready]);
const encoder = MeshoptEncoder;

// A generator of numbers from 0 to 1 (Park and Miller, 1988).
let seed = 7;
const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;

// Bytes of different entropy: constant, slow, noisy, and now and then far away.
const bytes = (count, stride) => Uint8Array.from({ length: count * stride }, (_, i) => {
  const element = Math.floor(i / stride), kind = i % stride % 4;
  return [5, element >> 3, random() * 256, random() < 0.1 ? 200 : random() * 6][kind];
});
const smooth = (count, stride) => {
  const floats = Float32Array.from({ length: count * stride / 4 }, (_, i) => Math.sin(i / 50) * 100 + random() / 8);
  return new Uint8Array(floats.buffer);
};
const shorts = (count, stride) => {
  const values = Int16Array.from({ length: count * stride / 2 }, (_, i) => Math.sin(i / 90) * 30000 + random() * 600);
  return new Uint8Array(values.buffer);
};
const directions = (count, length) => {
  const all = new Float32Array(count * 4);
  for (let i = 0; i < count; i++) {
    const v = Array.from({ length }, () => random() - 0.5), size = Math.hypot(...v);
    for (let k = 0; k < 4; k++) all[4 * i + k] = k < length ? v[k] / size : 1;
  }
  return all;
};
const colours = (count) => Float32Array.from({ length: count * 4 }, random);

const vectors = [];
const add = (name, source, count, stride, filter, level, version) => {
  const encoded = encoder.encodeVertexBufferLevel(source, count, stride, level, version);
  const decoded = new Uint8Array(count * stride);
  MeshoptDecoder.decodeGltfBuffer(decoded, count, stride, encoded, 'ATTRIBUTES', filter);
  const base64 = (b) => Buffer.from(b).toString('base64');
  vectors.push({ name, count, stride, filter, encoded: base64(encoded), decoded: base64(decoded) });
};
for (const version of [0, 1]) {
  for (const [count, stride] of [[1, 4], [17, 12], [300, 4], [100, 64], [40, 256]]) {
    for (const [kind, make] of Object.entries({ bytes, smooth, shorts })) {
      add(`${kind} ${count} x ${stride}, version ${version}`, make(count, stride), count, stride, 'NONE', version * 3, version);
    }
  }
}
add('oct 8', encoder.encodeFilterOct(directions(40, 3), 40, 4, 7), 40, 4, 'OCTAHEDRAL', 2, 0);
add('oct 16', encoder.encodeFilterOct(directions(40, 3), 40, 8, 12), 40, 8, 'OCTAHEDRAL', 2, 1);
add('quat', encoder.encodeFilterQuat(directions(40, 4), 40, 8, 14), 40, 8, 'QUATERNION', 2, 0);
add('exp', encoder.encodeFilterExp(new Float32Array(smooth(40, 12).buffer), 40, 12, 15), 40, 12, 'EXPONENTIAL', 2, 0);
add('color 8', encoder.encodeFilterColor(colours(40), 40, 4, 8), 40, 4, 'COLOR', 2, 1);
add('color 16', encoder.encodeFilterColor(colours(40), 40, 8, 12), 40, 8, 'COLOR', 2, 1);
console.log('[\n' + vectors.map((v) => JSON.stringify(v)).join(',\n') + '\n]');
