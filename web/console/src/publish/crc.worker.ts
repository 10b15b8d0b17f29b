// Reads files piece by piece and answers with the checksum of each, away from the page.

import { crc32 } from './crc.ts';

/** What the worker answers: how many bytes it has read, or the checksum of a file. */
export interface Answer { read?: number; crc?: number; error?: string }

onmessage = async ({ data: file }: MessageEvent<File>) => {
  try {
    let crc = 0;
    const reader = file.stream().getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      crc = crc32(value, crc);
      postMessage({ read: value.length } satisfies Answer);
    }
    postMessage({ crc } satisfies Answer);
  } catch (error) {
    postMessage({ error: String(error) } satisfies Answer);
  }
};
