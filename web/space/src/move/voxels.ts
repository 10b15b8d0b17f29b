// The reader of PlayCanvas' voxel format, version 1.1: a sparse octree whose leaves are
// blocks of 4x4x4 voxels.
//
// The .voxel.bin has 32-bit words, little-endian: nodeCount nodes, the root first, then
// leafDataCount words with two for each mixed leaf.
//
//   an inner node    8 bits: which octants have a child; 24 bits: the index of the first child
//   a leaf           24 bits: the index of its pair of words, whose 64 bits are the voxels,
//                    x first, then y, then z
//   0xff000000       every voxel below is solid

import { Mat4, Vec3 } from 'playcanvas';
import type { Box, Solid } from './solid.ts';

/** The .voxel.json. gridBounds and voxelResolution are in the coordinates of the capture. */
interface Header {
  version: string;
  gridBounds: { min: number[]; max: number[] };
  voxelResolution: number;
  leafSize: number;
  treeDepth: number;
  nodeCount: number;
  leafDataCount: number;
}

const solidNode = 0xff000000;

/** Loads a .voxel.json and the .voxel.bin beside it. */
export async function loadVoxels(address: string): Promise<VoxelGrid> {
  const header = (await (await fetchFile(address)).json()) as Header;
  const [major, minor] = header.version.split('.').map(Number);
  if (major !== 1 || (minor ?? 0) < 1 || header.leafSize !== 4) throw new Error(`voxels of version ${header.version}`);
  const binary = await (await fetchFile(address.replace('.voxel.json', '.voxel.bin'))).arrayBuffer();
  if (binary.byteLength < (header.nodeCount + header.leafDataCount) * 4) throw new Error('voxels are cut off');
  return new VoxelGrid(header, new Uint32Array(binary));
}

async function fetchFile(address: string): Promise<Response> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`status ${response.status}`);
  return response;
}

const corner = new Vec3();

export class VoxelGrid implements Solid {
  private readonly header: Header;
  private readonly words: Uint32Array;
  private readonly toSpace = new Mat4();
  private readonly fromSpace = new Mat4();
  /** Half of the edge of a voxel in the space. */
  private half = 0;

  constructor(header: Header, words: Uint32Array) {
    this.header = header;
    this.words = words;
    this.place(Mat4.IDENTITY);
  }

  /** Sets the transform from the coordinates of the voxels to the space. */
  place(transform: Mat4): void {
    this.toSpace.copy(transform);
    this.fromSpace.copy(transform).invert();
    const scale = transform.getScale();
    this.half = (this.header.voxelResolution * Math.max(scale.x, scale.y, scale.z)) / 2;
  }

  /**
   * Reports whether the voxel with these indices is solid. Outside of the grid nothing is. It walks
   * down the tree: each level decides one bit of each index, from the highest.
   */
  solid(x: number, y: number, z: number): boolean {
    let depth = this.header.treeDepth;
    const extent = 4 << depth;
    if (x < 0 || y < 0 || z < 0 || x >= extent || y >= extent || z >= extent || this.header.nodeCount === 0) return false;
    let node = this.words[0]!;
    while (depth > 0) {
      if (node === solidNode) return true;
      const mask = node >>> 24;
      if (mask === 0) return false;
      const shift = depth + 1; // a leaf has 4 voxels on an edge
      const octant = ((x >> shift) & 1) | (((y >> shift) & 1) << 1) | (((z >> shift) & 1) << 2);
      if ((mask & (1 << octant)) === 0) return false;
      node = this.words[(node & 0xffffff) + bits(mask & ((1 << octant) - 1))]!;
      depth--;
    }
    if (node === solidNode) return true;
    const bit = (x & 3) + 4 * (y & 3) + 16 * (z & 3);
    const leaf = this.header.nodeCount + 2 * (node & 0xffffff);
    return ((this.words[leaf + (bit >> 5)]! >>> (bit & 31)) & 1) === 1;
  }

  /**
   * In a grid that is turned by other than quarter turns, a voxel counts as a box of its size
   * along the axes. The error is smaller than a voxel.
   */
  visitBoxes(region: Box, visit: (box: Box) => void): void {
    const { min } = this.header.gridBounds;
    const resolution = this.header.voxelResolution;
    const local = transformBox(region, this.fromSpace);
    const index = (value: number, axis: number): number => Math.floor((value - min[axis]!) / resolution);
    const half = this.half;
    for (let z = index(local.min[2], 2); z <= index(local.max[2], 2); z++) {
      for (let y = index(local.min[1], 1); y <= index(local.max[1], 1); y++) {
        for (let x = index(local.min[0], 0); x <= index(local.max[0], 0); x++) {
          if (!this.solid(x, y, z)) continue;
          corner.set(min[0]! + (x + 0.5) * resolution, min[1]! + (y + 0.5) * resolution, min[2]! + (z + 0.5) * resolution);
          const c = this.toSpace.transformPoint(corner, corner);
          const box: Box = { min: [c.x - half, c.y - half, c.z - half], max: [c.x + half, c.y + half, c.z + half] };
          visit(box);
        }
      }
    }
  }

  bounds(): Box {
    const { min, max } = this.header.gridBounds;
    return transformBox({ min: min as Box['min'], max: max as Box['max'] }, this.toSpace);
  }
}

/** Returns the number of bits that are set in a byte. */
function bits(byte: number): number {
  let n = byte - ((byte >> 1) & 0x55);
  n = (n & 0x33) + ((n >> 2) & 0x33);
  return (n + (n >> 4)) & 0x0f;
}

/** Returns the box around the corners of a transformed box. */
export function transformBox(box: Box, transform: Mat4): Box {
  const all: Box = { min: [Infinity, Infinity, Infinity], max: [-Infinity, -Infinity, -Infinity] };
  for (let i = 0; i < 8; i++) {
    corner.set(i & 1 ? box.max[0] : box.min[0], i & 2 ? box.max[1] : box.min[1], i & 4 ? box.max[2] : box.min[2]);
    transform.transformPoint(corner, corner);
    const c = [corner.x, corner.y, corner.z] as const;
    for (const axis of [0, 1, 2] as const) {
      all.min[axis] = Math.min(all.min[axis], c[axis]);
      all.max[axis] = Math.max(all.max[axis], c[axis]);
    }
  }
  return all;
}
