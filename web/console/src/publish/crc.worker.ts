// Reads files piece by piece and posts the checksum of each, away from the page.

import { crc32 } from './crc.ts';

/** What the worker posts: the number of bytes in a piece, the checksum of a file, or why it failed. */
export interface Message {
  read?: number;
  crc?: number;
  error?: string;
}

self.onmessage = async ({ data: file }: MessageEvent<File>) => {
  try {
    let crc = 0;
    const reader = file.stream().getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      crc = crc32(value, crc);
      postMessage({ read: value.length } satisfies Message);
    }
    postMessage({ crc } satisfies Message);
  } catch (error) {
    postMessage({ error: String(error) } satisfies Message);
  }
};
