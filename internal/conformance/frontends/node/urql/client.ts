import { Client, type CombinedError, fetchExchange, mapExchange, subscriptionExchange } from '@urql/core';
import { createClient } from 'graphql-sse';

import { describe, isSignedOut } from '../shared/refusal';
import type { Server } from '../shared/start';
import { newCache } from './cache';

export interface ClientOptions {
  readonly onLive: (live: boolean) => void;
  readonly onSignedOut: () => void;
}

/** Returns urql's client: queries and mutations by fetch, subscriptions by server-sent events. */
export function newClient(server: Server, { onLive, onSignedOut }: ClientOptions): Client {
  const headers = { Authorization: `Bearer ${server.accessKey}` };
  const streams = createClient({
    url: server.graphql,
    headers,
    retryAttempts: Infinity,
    async fetchFn(input: RequestInfo, init?: RequestInit) {
      const response = await fetch(input, init);
      if (response.status === 401) onSignedOut(); // graphql-sse itself would try again
      return response;
    },
    on: { connecting: () => onLive(false), connected: () => onLive(true) },
  });
  return new Client({
    url: server.graphql,
    preferGetMethod: false,
    fetchOptions: { headers },
    exchanges: [
      mapExchange({ onError: ({ graphQLErrors }) => { if (isSignedOut(graphQLErrors)) onSignedOut(); } }),
      newCache(),
      fetchExchange,
      subscriptionExchange({
        forwardSubscription: ({ query, variables }) => ({
          subscribe: (sink) => ({ unsubscribe: streams.subscribe({ query: query!, variables: variables! }, sink as never) }),
        }),
      }),
    ],
  });
}

/** Returns the text that the user sees for an error. */
export function textOf(error: CombinedError): string {
  return error.graphQLErrors[0] ? describe(error.graphQLErrors[0]) : error.message;
}
