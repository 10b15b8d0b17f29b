import { ApolloClient, ApolloLink, HttpLink, InMemoryCache } from '@apollo/client';
import { CombinedGraphQLErrors } from '@apollo/client/errors';
import { ErrorLink } from '@apollo/client/link/error';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { getMainDefinition, relayStylePagination } from '@apollo/client/utilities';

import { describe, isSignedOut } from '../shared/refusal';
import { newSocket, type SocketOptions } from '../shared/socket';
import type { Server } from '../shared/start';
import possibleTypes from './possibletypes.json';

/** Returns a cache that merges the pages of connections, and keeps only the last event of a space. */
function newCache(): InMemoryCache {
  const connection = relayStylePagination(['filter', 'orderBy']);
  return new InMemoryCache({
    possibleTypes,
    typePolicies: {
      Query: { fields: { spaces: connection } },
      Space: { fields: { entities: connection } },
      Subscription: { fields: { space: { merge: false } } },
    },
  });
}

/** Returns Apollo's client: queries and mutations by fetch, subscriptions by WebSocket. */
export function newClient(server: Server, options: SocketOptions): ApolloClient {
  const signedOut = new ErrorLink(({ error }) => {
    if (CombinedGraphQLErrors.is(error) && isSignedOut(error.errors)) options.onSignedOut();
  });
  const http = new HttpLink({ uri: server.graphql, headers: { Authorization: `Bearer ${server.accessKey}` } });
  const socket = new GraphQLWsLink(newSocket(server, options));
  const isSubscription: Parameters<typeof ApolloLink.split>[0] = ({ query }) => {
    const definition = getMainDefinition(query);
    return definition.kind === 'OperationDefinition' && definition.operation === 'subscription';
  };
  return new ApolloClient({
    link: ApolloLink.from([signedOut, ApolloLink.split(isSubscription, socket, http)]), cache: newCache(),
  });
}

/** Returns the text that the user sees for an error. */
export function textOf(error: unknown): string {
  if (CombinedGraphQLErrors.is(error) && error.errors[0]) return describe(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
