// Makes a zip archive of a folder without copying it: the archive is a Blob of small headers
// and the files themselves, which are read when they are sent. Only their checksums need a
// pass before. Files are stored, because captures are compressed already.

import type { Message } from './crc.worker.ts';

export interface Entry {
  readonly path: string;
  readonly file: File;
}

const max32 = 0xffffffff;
const max16 = 0xffff;

/** Little-endian fields of a header. */
class Header {
  private readonly bytes: number[] = [];
  u16(value: number): this {
    this.bytes.push(value & 255, (value >>> 8) & 255);
    return this;
  }
  u32(value: number): this {
    return this.u16(value & max16).u16(value >>> 16);
  }
  u64(value: number): this {
    return this.u32(value % 2 ** 32).u32(Math.floor(value / 2 ** 32));
  }
  get length(): number {
    return this.bytes.length;
  }
  done(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.bytes);
  }
}

interface Stored {
  readonly name: Uint8Array<ArrayBuffer>;
  readonly size: number;
  readonly crc: number;
  readonly offset: number;
}

/** Fields that local and central headers share: APPNOTE 4.4, UTF-8 names, no compression, 1980-01-01. */
function sharedFields(header: Header, { name, size, crc }: Stored, large: boolean, extra: number): Header {
  const shown = large ? max32 : size;
  return header
    .u16(large ? 45 : 20)
    .u16(0x0800)
    .u16(0)
    .u16(0)
    .u16(0x21)
    .u32(crc)
    .u32(shown)
    .u32(shown)
    .u16(name.length)
    .u16(extra);
}

function localHeader(stored: Stored): Uint8Array<ArrayBuffer> {
  const large = stored.size >= max32;
  const header = sharedFields(new Header().u32(0x04034b50), stored, large, large ? 20 : 0);
  return header.done();
}

function localExtra({ size }: Stored): Uint8Array<ArrayBuffer> {
  return size >= max32 ? new Header().u16(1).u16(16).u64(size).u64(size).done() : new Uint8Array();
}

function centralHeader(stored: Stored): Blob {
  const large = stored.size >= max32 || stored.offset >= max32;
  const extra = large ? new Header().u16(1).u16(24).u64(stored.size).u64(stored.size).u64(stored.offset).done() : new Uint8Array();
  const header = sharedFields(new Header().u32(0x02014b50).u16(45), stored, large, extra.length)
    .u16(0)
    .u16(0)
    .u16(0)
    .u32(0)
    .u32(large ? max32 : stored.offset);
  return new Blob([header.done(), stored.name, extra]);
}

function endOfDirectory(count: number, size: number, offset: number): Blob {
  const large = count >= max16 || size >= max32 || offset >= max32;
  const parts: Uint8Array<ArrayBuffer>[] = [];
  if (large) {
    parts.push(new Header().u32(0x06064b50).u64(44).u16(45).u16(45).u32(0).u32(0).u64(count).u64(count).u64(size).u64(offset).done());
    parts.push(
      new Header()
        .u32(0x07064b50)
        .u32(0)
        .u64(offset + size)
        .u32(1)
        .done(),
    );
  }
  const shown = large ? max16 : count;
  parts.push(
    new Header()
      .u32(0x06054b50)
      .u16(0)
      .u16(0)
      .u16(shown)
      .u16(shown)
      .u32(large ? max32 : size)
      .u32(large ? max32 : offset)
      .u16(0)
      .done(),
  );
  return new Blob(parts);
}

/** Returns the archive. Read is called with the number of bytes that were read since the last call. */
export async function zip(entries: readonly Entry[], signal: AbortSignal, read: (bytes: number) => void): Promise<Blob> {
  const worker = new Worker(new URL('./crc.worker.ts', import.meta.url), { type: 'module' });
  try {
    const parts: BlobPart[] = [];
    const central: Blob[] = [];
    let offset = 0;
    for (const { path, file } of entries) {
      const stored: Stored = {
        name: new TextEncoder().encode(path),
        size: file.size,
        offset,
        crc: await checksum(worker, file, signal, read),
      };
      const [header, extra] = [localHeader(stored), localExtra(stored)];
      parts.push(header, stored.name, extra, file);
      central.push(centralHeader(stored));
      offset += header.length + stored.name.length + extra.length + file.size;
    }
    const directory = new Blob(central);
    return new Blob([...parts, directory, endOfDirectory(entries.length, directory.size, offset)], { type: 'application/zip' });
  } finally {
    worker.terminate();
  }
}

function checksum(worker: Worker, file: File, signal: AbortSignal, read: (bytes: number) => void): Promise<number> {
  const settled = new AbortController(); // removes the listener of the file
  return new Promise<number>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true, signal: settled.signal });
    if (signal.aborted) return reject(signal.reason as Error);
    worker.onmessage = ({ data }: MessageEvent<Message>) => {
      if (data.read !== undefined) read(data.read);
      if (data.crc !== undefined) resolve(data.crc);
      if (data.error !== undefined) reject(new Error(data.error));
    };
    worker.onerror = (event) => reject(new Error(event.message));
    worker.postMessage(file);
  }).finally(() => settled.abort());
}
