// Subscriptions that outlast the faults of the server.

import type { Client, Sink, SubscribePayload } from 'graphql-ws';
import type { Recovery } from './recovery.ts';

/** The close code for a fault of the server, such as a database that restarts. */
const fault = 4500;

/**
 * Subscribes, again and again while the server has a fault: graphql-ws gives up after a fault. It
 * returns a function that unsubscribes.
 */
export function subscribe(socket: Client, recovery: Recovery, payload: SubscribePayload, sink: Sink): () => void {
  let cancel = () => {};
  let unsubscribe = () => {};
  const start = () => {
    unsubscribe();
    unsubscribe = socket.subscribe(payload, {
      next: (result) => { sink.next(result); },
      complete: () => { sink.complete(); },
      error: (error) => {
        if ((error as Partial<CloseEvent> | undefined)?.code === fault) cancel = recovery.wait(start);
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
