// The connection of a subscription.

import { fetchWithin } from 'portico-upload/fetch.ts';

/** How long the response may take to begin, in milliseconds. */
const maxWait = 60_000;
/**
 * How long a stream may be silent, in milliseconds. The server sends something every 12 seconds: twice
 * that is missing only if the connection is dead, which neither browsers nor Node notice for minutes.
 */
const maxSilence = 30_000;

/** Fetches a stream, which fails when it is silent. */
export async function fetchStream(address: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const silent = new AbortController();
  const signal = init.signal ? AbortSignal.any([init.signal, silent.signal]) : silent.signal;
  const response = await fetchWithin(maxWait, address, { ...init, signal });
  if (!response.ok || !response.body) return response;
  let timer: ReturnType<typeof setTimeout>;
  const listen = (): void => {
    timer = setTimeout(() => silent.abort(new Error('The stream is silent')), maxSilence);
  };
  listen();
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  const watched = response.body.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        clearTimeout(timer);
        listen();
        controller.enqueue(chunk);
      },
      flush() {
        clearTimeout(timer);
      },
    }),
  );
  return new Response(watched, response);
}
