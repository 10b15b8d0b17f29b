// Models as programs compress them for the web, made of a few triangles.

import { createRequire } from 'node:module';
import { encodeToKTX2 } from 'ktx2-encoder';
import { MeshoptEncoder } from 'meshoptimizer/encoder';

const draco = createRequire(import.meta.url)('draco3d');

/** Returns a .glb of these parts of its document and this binary chunk. */
function glb(document, binary) {
  const pad = (bytes, filler) => Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4, filler)]);
  const chunk = (type, bytes) => {
    const head = Buffer.alloc(8);
    head.writeUInt32LE(bytes.length, 0);
    head.write(type, 4);
    return Buffer.concat([head, bytes]);
  };
  const json = { asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0] }], nodes: [{ mesh: 0 }], buffers: [{ byteLength: binary.length }], ...document };
  const chunks = [chunk('JSON', pad(Buffer.from(JSON.stringify(json)), ' ')), chunk('BIN\0', pad(binary, 0))];
  const head = Buffer.alloc(12);
  head.write('glTF', 0);
  head.writeUInt32LE(2, 4);
  head.writeUInt32LE(12 + chunks[0].length + chunks[1].length, 8);
  return Buffer.concat([head, ...chunks]);
}

/** Returns a square of 1 m that faces +z, in a colour that light does not change, with its mesh compressed by Draco. */
export async function dracoSquare(colour) {
  const encoder = await draco.createEncoderModule({});
  const [builder, mesh, coder, written] = [new encoder.MeshBuilder(), new encoder.Mesh(), new encoder.Encoder(), new encoder.DracoInt8Array()];
  builder.AddFacesToMesh(mesh, 2, new Uint32Array([0, 1, 2, 0, 2, 3]));
  const corners = new Float32Array([-0.5, -0.5, 0, 0.5, -0.5, 0, 0.5, 0.5, 0, -0.5, 0.5, 0]);
  const position = builder.AddFloatAttributeToMesh(mesh, encoder.POSITION, 4, 3, corners);
  const size = coder.EncodeMeshToDracoBuffer(mesh, written);
  const bytes = Buffer.from(Array.from({ length: size }, (_, i) => written.GetValue(i) & 255));
  return glb({
    extensionsUsed: ['KHR_draco_mesh_compression', 'KHR_materials_unlit'], extensionsRequired: ['KHR_draco_mesh_compression'],
    materials: [{ extensions: { KHR_materials_unlit: {} }, pbrMetallicRoughness: { baseColorFactor: [...colour, 1] } }],
    meshes: [{ primitives: [{
      attributes: { POSITION: 0 }, indices: 1, material: 0,
      extensions: { KHR_draco_mesh_compression: { bufferView: 0, attributes: { POSITION: position } } },
    }] }],
    accessors: [
      { componentType: 5126, count: 4, type: 'VEC3', min: [-0.5, -0.5, 0], max: [0.5, 0.5, 0] },
      { componentType: 5123, count: 6, type: 'SCALAR' },
    ],
    bufferViews: [{ buffer: 0, byteLength: size }],
  }, bytes);
}

/** Returns the same square with a KTX2 texture of this colour, in the smaller format ETC1S or in UASTC. */
export async function ktx2Square(colour, isUASTC) {
  const [width, height] = [16, 16];
  const data = new Uint8Array(Array.from({ length: width * height }, () => [...colour.map((channel) => channel * 255), 255]).flat());
  const texture = Buffer.from(await encodeToKTX2(new Uint8Array(1), {
    isUASTC, isKTX2File: true, generateMipmap: true, imageDecoder: async () => ({ width, height, data }),
  }));
  const corners = new Float32Array([-0.5, -0.5, 0, 0.5, -0.5, 0, 0.5, 0.5, 0, -0.5, 0.5, 0]);
  const places = new Float32Array([0, 1, 1, 1, 1, 0, 0, 0]);
  const parts = [corners, places, new Uint16Array([0, 1, 2, 0, 2, 3]), texture].map((part) => Buffer.from(part.buffer, part.byteOffset, part.byteLength));
  const start = (index) => parts.slice(0, index).reduce((sum, part) => sum + part.length, 0);
  return glb({
    extensionsUsed: ['KHR_texture_basisu', 'KHR_materials_unlit'], extensionsRequired: ['KHR_texture_basisu'],
    images: [{ bufferView: 3, mimeType: 'image/ktx2' }],
    textures: [{ extensions: { KHR_texture_basisu: { source: 0 } } }],
    materials: [{ extensions: { KHR_materials_unlit: {} }, pbrMetallicRoughness: { baseColorTexture: { index: 0 } } }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0, TEXCOORD_0: 1 }, indices: 2, material: 0 }] }],
    accessors: [
      { bufferView: 0, componentType: 5126, count: 4, type: 'VEC3', min: [-0.5, -0.5, 0], max: [0.5, 0.5, 0] },
      { bufferView: 1, componentType: 5126, count: 4, type: 'VEC2' },
      { bufferView: 2, componentType: 5123, count: 6, type: 'SCALAR' },
    ],
    bufferViews: parts.map((part, index) => ({ buffer: 0, byteOffset: start(index), byteLength: part.length })),
  }, Buffer.concat(parts));
}

/**
 * Returns the same square three times in a row, 2 m apart, as gltfpack writes repeated meshes: with
 * corners in whole numbers, which the scale of each place makes small again. With isCompressed,
 * meshoptimizer has compressed the corners and the places.
 */
export async function repeatedSquares(colour, isCompressed) {
  await MeshoptEncoder.ready;
  const most = 16383;
  const parts = [ // with the bytes of a value
    [new Uint16Array([0, 0, 0, 0, most, 0, 0, 0, most, most, 0, 0, 0, most, 0, 0]), 8],
    [new Uint16Array([0, 1, 2, 0, 2, 3]), 2],
    [new Float32Array([-2.5, -0.5, 0, -0.5, -0.5, 0, 1.5, -0.5, 0]), 12],
    [new Int16Array([0, 0, 0, 32767, 0, 0, 0, 32767, 0, 0, 0, 32767]), 8],
    [new Float32Array(9).fill(1 / most), 12],
  ].map(([{ buffer }, size]) => [new Uint8Array(buffer), size]);
  const stored = parts.map(([bytes, size], i) => (
    Buffer.from(isCompressed && i !== 1 ? MeshoptEncoder.encodeGltfBuffer(bytes, bytes.length / size, size, 'ATTRIBUTES') : bytes)
  ));
  const padded = stored.map((bytes) => Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)]));
  const start = (list, index) => list.slice(0, index).reduce((sum, { length }) => sum + length, 0);
  const sizes = parts.map(([{ length }]) => ({ length: (length + 3) & ~3 }));
  const view = (index) => {
    const [bytes, size] = parts[index];
    const place = { buffer: 0, byteOffset: start(padded, index), byteLength: stored[index].length };
    if (!isCompressed || index === 1) return { ...place, ...(index === 0 && { byteStride: size }) };
    const extensions = { EXT_meshopt_compression: { ...place, byteStride: size, count: bytes.length / size, mode: 'ATTRIBUTES' } };
    return { buffer: 1, byteOffset: start(sizes, index), byteLength: bytes.length, ...(index === 0 && { byteStride: size }), extensions };
  };
  const extensions = ['KHR_mesh_quantization', 'EXT_mesh_gpu_instancing', ...(isCompressed ? ['EXT_meshopt_compression'] : [])];
  return glb({
    extensionsUsed: [...extensions, 'KHR_materials_unlit'], extensionsRequired: extensions,
    nodes: [{ mesh: 0, extensions: { EXT_mesh_gpu_instancing: { attributes: { TRANSLATION: 2, ROTATION: 3, SCALE: 4 } } } }],
    materials: [{ extensions: { KHR_materials_unlit: {} }, pbrMetallicRoughness: { baseColorFactor: [...colour, 1] } }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1, material: 0 }] }],
    accessors: [
      { bufferView: 0, componentType: 5123, count: 4, type: 'VEC3', min: [0, 0, 0], max: [most, most, 0] },
      { bufferView: 1, componentType: 5123, count: 6, type: 'SCALAR' },
      { bufferView: 2, componentType: 5126, count: 3, type: 'VEC3' },
      { bufferView: 3, componentType: 5122, count: 3, type: 'VEC4', normalized: true },
      { bufferView: 4, componentType: 5126, count: 3, type: 'VEC3' },
    ],
    bufferViews: parts.map((_, index) => view(index)),
    ...(isCompressed && { buffers: [
      { byteLength: start(padded, padded.length) },
      { byteLength: start(sizes, sizes.length), extensions: { EXT_meshopt_compression: { fallback: true } } },
    ] }),
  }, Buffer.concat(padded));
}
