// The client of GraphQL: queries and mutations by fetch, subscriptions by one WebSocket,
// because browsers open six connections to a host over HTTP/1.1, in all tabs together. The
// session's cookie is sent with both.

import { Client, type CombinedError, fetchExchange, mapExchange, subscriptionExchange } from '@urql/core';
import { createClient, type Client as SocketClient, type Sink, type SubscribePayload } from 'graphql-ws';
import { newCache } from './cache.ts';
import { Refetch } from './refetch.ts';
import { session } from './session.svelte.ts';

/** The close code for a connection whose session has ended. */
const unauthorized = 4401;
/** The close code for a fault of the server, such as a database that restarts. */
const fault = 4500;
/** The wait after a fault, in milliseconds. */
const faultWait = 3000;

/**
 * How often the page asks whether the connection is alive, and how long it waits for the answer, in
 * milliseconds. A browser does not notice a dead connection for minutes, for example after the
 * computer has slept.
 */
const pingInterval = 15_000;
const pongTimeout = 15_000;
let pongTimer = 0;

const socket: SocketClient = createClient({
  url: `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/graphql`,
  lazyCloseTimeout: 3000,
  keepAlive: pingInterval,
  retryAttempts: Infinity,
  shouldRetry: () => !session.ended,
  on: {
    connected: () => { session.live = true; },
    // A close frame would wait for an answer, too.
    ping: (received) => { if (!received) pongTimer = setTimeout(() => socket.terminate(), pongTimeout); },
    pong: (received) => { if (received) clearTimeout(pongTimer); },
    closed: (event) => {
      clearTimeout(pongTimer);
      session.live = false;
      if ((event as CloseEvent).code === unauthorized) session.ended = true;
    },
  },
});

/** Subscribes, again and again while the server has a fault: graphql-ws gives up after a fault. It returns a function that unsubscribes. */
function subscribe(payload: SubscribePayload, sink: Sink): () => void {
  let retry = 0;
  let unsubscribe = () => {};
  const start = () => {
    unsubscribe();
    unsubscribe = socket.subscribe(payload, {
      next: (result) => { sink.next(result); },
      complete: () => { sink.complete(); },
      error: (error) => {
        if ((error as Partial<CloseEvent> | undefined)?.code === fault) retry = setTimeout(start, faultWait);
        else sink.error(error);
      },
    });
  };
  start();
  return () => {
    clearTimeout(retry);
    unsubscribe();
  };
}

/** Reports whether the server answered that nobody is signed in. */
function isSignedOut(error: CombinedError): boolean {
  return error.graphQLErrors.some(({ extensions }) => extensions['code'] === 'UNAUTHENTICATED');
}

const refetch = new Refetch();

export const client = new Client({
  url: '/graphql',
  preferGetMethod: false,
  exchanges: [
    mapExchange({ onError: (error) => { if (isSignedOut(error)) session.ended = true; } }),
    newCache(refetch),
    refetch.exchange,
    fetchExchange,
    subscriptionExchange({
      forwardSubscription: ({ query, variables }) => ({
        subscribe: (sink) => ({
          unsubscribe: subscribe({ query: query ?? '', ...(variables && { variables }) }, sink as never),
        }),
      }),
    }),
  ],
});
