// A resumable upload by tus 1.0. The server divides a large one into parts (extension
// Concatenation), which are sent at the same time: one connection cannot use all
// of the bandwidth at a high latency.

import { fetchWithin } from './fetch.ts';
import { ConnectionLost, failure, isTooLarge, send } from './send.ts';

/** A server that is not the page's own, which needs a key in the headers. */
export interface Server {
  readonly url: string;
  readonly headers: readonly { name: string; value: string }[];
}

/**
 * How many parts are sent at a time, over all uploads of the page. Browsers open six
 * connections to a server without HTTP/2; the others are for the rest of the console.
 */
export const parallelParts = 4;

/**
 * The size from which files are sent by resumable uploads. With a bucket, these go through this
 * server, which costs more than to send a smaller file again.
 */
export const resumableFrom = 32 * 1024 * 1024;

/**
 * The largest request in bytes, and the smallest one that is tried after a response with 413: proxies
 * and CDNs limit requests, often to 100 MB. The smallest is below the default limit of nginx, 1 MiB.
 */
const maxPiece = 64_000_000;
const minPiece = maxPiece / 64;

/**
 * Reports whether a file that could not be sent as a whole should be sent in pieces: a proxy refused its
 * size, or nobody responded. A browser also hides the response of another origin that lacks the headers of
 * CORS, such as a 413 of a proxy in front of the files, or any of a bucket without a rule for this page.
 */
export function needsPieces(file: Blob, error: unknown): boolean {
  return isTooLarge(error) || (error instanceof ConnectionLost && error.status === 0 && file.size > minPiece);
}

/** The largest request that no proxy has refused, for all uploads of the page. */
let pieceSize = maxPiece;

/** How long the server may take to respond with the headers of an upload, in milliseconds. */
const maxHead = 30_000;

const protocol = { name: 'Tus-Resumable', value: '1.0.0' };

interface Part {
  readonly url: string;
  /** Where the part starts in the file, in bytes. */
  readonly start: number;
  readonly size: number;
  /** How many bytes of the part the server has. */
  readonly offset: number;
}

let freeSlots = parallelParts;
const waiting: (() => void)[] = [];

/** Runs the task when fewer than parallelParts others run. An abort ends the wait for that. */
async function withSlot(signal: AbortSignal, task: () => Promise<void>): Promise<void> {
  signal.throwIfAborted();
  if (freeSlots > 0) freeSlots -= 1;
  else await nextSlot(signal);
  try {
    await task();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else freeSlots += 1;
  }
}

/** Waits until a task passes its slot on. It may take minutes until a slot is free, so an abort ends the wait. */
function nextSlot(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const take = (): void => {
      signal.removeEventListener('abort', leave);
      resolve();
    };
    const leave = (): void => {
      waiting.splice(waiting.indexOf(take), 1);
      reject(signal.reason as Error);
    };
    waiting.push(take);
    signal.addEventListener('abort', leave, { once: true });
  });
}

/**
 * Returns the address of an upload by which this client reaches the server, which may have another host
 * name. The key is sent to no other host.
 */
function localAddress(url: string, server: Server | undefined): string {
  const { pathname } = new URL(url, server?.url ?? location.href);
  return server ? new URL(pathname, server.url).href : pathname;
}

/** Returns the headers of an upload or a part, which include its offset. */
async function headersOf(url: string, server: Server | undefined, signal?: AbortSignal): Promise<Headers> {
  let response: Response;
  try {
    response = await fetchWithin(maxHead, localAddress(url, server), {
      method: 'HEAD',
      headers: [...(server?.headers ?? []), protocol].map(({ name, value }): [string, string] => [name, value]),
      cache: 'no-store',
      signal: signal ?? null,
    });
  } catch (error) {
    throw signal?.aborted ? error : new ConnectionLost();
  }
  if (!response.ok) throw failure(response.status, response.headers.get('Retry-After'));
  return response.headers;
}

/** Returns the parts of an upload in the order of the file. An upload that is sent in order is one part. */
async function partsOf(url: string, server: Server | undefined, signal?: AbortSignal): Promise<Part[]> {
  const whole = await headersOf(url, server, signal);
  const [kind, addresses] = (whole.get('Upload-Concat') ?? '').split(';');
  const isDivided = kind === 'final' && addresses && !whole.has('Upload-Offset'); // an assembled upload has an offset of its own
  const urls = isDivided ? addresses.split(' ') : [url];
  const headers = isDivided ? await Promise.all(urls.map((part) => headersOf(part, server, signal))) : [whole];
  let start = 0;
  return urls.map((url, i) => {
    const [size, offset] = ['Upload-Length', 'Upload-Offset'].map((name) => Number(headers[i]?.get(name)));
    const part = { url, start, size: size ?? 0, offset: offset ?? 0 };
    start += part.size;
    return part;
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}

export async function uploadedBytes(url: string): Promise<number> {
  return sum((await partsOf(url, undefined)).map(({ offset }) => offset));
}

/** Sends the bytes of an upload that the server does not have yet. It calls sent with what the server has first. */
export async function sendRemaining(
  file: Blob,
  url: string,
  signal: AbortSignal,
  sent: (bytes: number) => void,
  server?: Server,
): Promise<void> {
  const parts = await partsOf(url, server, signal);
  const arrived = parts.map(({ offset }) => offset);
  const report = () => {
    sent(sum(arrived));
  };
  report();
  // A part that fails stops the others: the upload is tried again as a whole.
  const failed = new AbortController();
  const stop = AbortSignal.any([signal, failed.signal]);
  await Promise.all(
    parts.map((part, i) =>
      withSlot(stop, () =>
        sendPart(file, part, server, stop, (bytes) => {
          arrived[i] = bytes;
          report();
        }),
      ).catch((error: unknown) => {
        failed.abort(error);
        throw error;
      }),
    ),
  );
}

/** Sends the rest of a part in pieces. A piece that a proxy refuses for its size is sent again in smaller ones. */
async function sendPart(
  file: Blob,
  { url, start, size, offset }: Part,
  server: Server | undefined,
  signal: AbortSignal,
  sent: (bytes: number) => void,
): Promise<void> {
  for (let from = offset; from < size; ) {
    const until = Math.min(from + pieceSize, size);
    const headers = [
      ...(server?.headers ?? []),
      protocol,
      { name: 'Upload-Offset', value: String(from) },
      { name: 'Content-Type', value: 'application/offset+octet-stream' },
    ];
    try {
      await send(file.slice(start + from, start + until), { url: localAddress(url, server), method: 'PATCH', headers }, signal, (bytes) =>
        sent(from + bytes),
      );
      from = until;
    } catch (error) {
      if (!isTooLarge(error) || until - from <= minPiece) throw error;
      pieceSize = Math.min(pieceSize, Math.max(Math.floor((until - from) / 2), minPiece));
      // A proxy that counts while it forwards has forwarded some bytes.
      from = Number((await headersOf(url, server, signal)).get('Upload-Offset'));
      sent(from);
    }
  }
}
