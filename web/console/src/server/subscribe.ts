// Subscriptions that outlast the faults of the server.

import type { Client, Sink, SubscribePayload } from 'graphql-ws';
import type { Recovery } from './recovery.ts';
import { session } from './session.svelte.ts';

/** The close code for a fault of the server, such as a database that restarts. */
const fault = 4500;
/** The close code for a connection whose session has ended, or goes on under a new cookie. */
export const unauthorized = 4401;

/**
 * Subscribes, again and again while the server has a fault or the session is not known to have
 * ended: graphql-ws gives up after both. It returns a function that unsubscribes.
 */
export function subscribe(socket: Client, recovery: Recovery, payload: SubscribePayload, sink: Sink): () => void {
  let cancel = () => {};
  let unsubscribe = () => {};
  const start = () => {
    if (session.ended) return;
    unsubscribe();
    unsubscribe = socket.subscribe(payload, {
      next: (result) => {
        sink.next(result);
      },
      complete: () => {
        sink.complete();
      },
      error: (error) => {
        const code = (error as Partial<CloseEvent> | undefined)?.code;
        if (code === fault || code === unauthorized) cancel = recovery.wait(start);
        else sink.error(error);
      },
    });
  };
  cancel = recovery.start(start);
  return () => {
    cancel();
    unsubscribe();
  };
}
