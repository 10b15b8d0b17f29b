import { type Client, createClient } from 'graphql-ws';

import type { Server } from './start';

/** The close code of a key that is not valid, or no longer. */
const unauthenticated = 4401;

export interface SocketOptions {
  readonly onLive: (live: boolean) => void;
  readonly onSignedOut: () => void;
}

/**
 * Returns a client of GraphQL over WebSocket. It connects again whenever the connection is
 * lost, and then repeats its subscriptions.
 */
export function newSocket(server: Server, options: SocketOptions): Client {
  return createClient({
    url: server.graphql.replace(/^http/, 'ws'),
    connectionParams: { Authorization: `Bearer ${server.accessKey}` },
    retryAttempts: Infinity,
    shouldRetry: () => true,
    on: {
      connected: () => options.onLive(true),
      closed: (event) => {
        options.onLive(false);
        if (!(event instanceof CloseEvent) || event.code !== unauthenticated) return;
        setTimeout(options.onSignedOut); // after the subscriptions have received the error
      },
    },
  });
}
