// The client of GraphQL: queries and mutations by fetch, subscriptions by one WebSocket,
// because browsers open six connections to a host over HTTP/1.1, in all tabs together. The
// session's cookie is sent with both.

import { Client, type CombinedError, fetchExchange, mapExchange, subscriptionExchange } from '@urql/core';
import { createClient, type Client as SocketClient } from 'graphql-ws';
import { queryTimeout } from './querytimeout.ts';
import { newCache } from './cache.ts';
import { Recovery } from './recovery.ts';
import { Refetch } from './refetch.ts';
import { session } from './session.svelte.ts';
import { confirmEnd } from './sessionend.ts';
import { subscribe, unauthorized } from './subscribe.ts';

/**
 * How often the page asks whether the connection is alive, and how long it waits for the response, in
 * milliseconds. A browser does not notice a dead connection for minutes, for example after the
 * computer has slept.
 */
const pingInterval = 15_000;
const pongTimeout = 15_000;
let pongTimer = 0;

const recovery = new Recovery();
const socket: SocketClient = createClient({
  url: `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/graphql`,
  lazyCloseTimeout: 3000,
  keepAlive: pingInterval,
  retryAttempts: Infinity,
  retryWait: () =>
    new Promise((resolve) => {
      recovery.wait(resolve);
    }),
  shouldRetry: () => !session.ended,
  on: {
    connected: () => {
      recovery.connected();
      session.live = true;
    },
    // A close frame would wait for a response, too.
    ping: (received) => {
      if (!received) pongTimer = setTimeout(() => socket.terminate(), pongTimeout);
    },
    pong: (received) => {
      if (received) clearTimeout(pongTimer);
    },
    closed: (event) => {
      clearTimeout(pongTimer);
      recovery.closed();
      session.live = false;
      if ((event as CloseEvent).code === unauthorized) void confirmEnd();
    },
  },
});

/** Reports whether the server says that nobody is signed in. */
function isSignedOut(error: CombinedError): boolean {
  return error.graphQLErrors.some(({ extensions }) => extensions['code'] === 'UNAUTHENTICATED');
}

const refetch = new Refetch();

export const client = new Client({
  url: '/graphql',
  preferGetMethod: false,
  exchanges: [
    mapExchange({
      onError: (error) => {
        if (isSignedOut(error)) void confirmEnd();
      },
    }),
    newCache(refetch),
    refetch.exchange,
    queryTimeout,
    fetchExchange,
    subscriptionExchange({
      forwardSubscription: ({ query, variables }) => ({
        subscribe: (sink) => ({
          unsubscribe: subscribe(socket, recovery, { query: query ?? '', ...(variables && { variables }) }, sink as never),
        }),
      }),
    }),
  ],
});
