// The client of GraphQL: queries and mutations by fetch, subscriptions by one WebSocket,
// because browsers open six connections to a host over HTTP/1.1, in all tabs together. The
// session's cookie is sent with both.

import { Client, type CombinedError, fetchExchange, mapExchange, subscriptionExchange } from '@urql/core';
import { createClient } from 'graphql-ws';
import { newCache } from './cache.ts';
import { overtakenExchange } from './overtaken.ts';
import { session } from './session.svelte.ts';

/** The close code for a connection whose session has ended. */
const unauthorized = 4401;

const socket = createClient({
  url: `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/graphql`,
  lazyCloseTimeout: 3000,
  retryAttempts: Infinity,
  shouldRetry: () => !session.ended,
  on: {
    connected: () => { session.live = true; },
    closed: (event) => {
      session.live = false;
      if ((event as CloseEvent).code === unauthorized) session.ended = true;
    },
  },
});

/** Reports whether the server answered that nobody is signed in. */
function isSignedOut(error: CombinedError): boolean {
  return error.graphQLErrors.some(({ extensions }) => extensions['code'] === 'UNAUTHENTICATED');
}

export const client = new Client({
  url: '/graphql',
  preferGetMethod: false,
  exchanges: [
    mapExchange({ onError: (error) => { if (isSignedOut(error)) session.ended = true; } }),
    newCache(),
    overtakenExchange,
    fetchExchange,
    subscriptionExchange({
      forwardSubscription: ({ query, variables }) => ({
        subscribe: (sink) => ({
          unsubscribe: socket.subscribe({ query: query ?? '', ...(variables && { variables }) }, sink as never),
        }),
      }),
    }),
  ],
});
