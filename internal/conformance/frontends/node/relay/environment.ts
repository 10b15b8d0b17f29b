import {
  Environment, type FetchFunction, Network, Observable, RecordSource, Store, type SubscribeFunction,
} from 'relay-runtime';

import { isSignedOut } from '../shared/refusal';
import { newSocket, type SocketOptions } from '../shared/socket';
import type { Server } from '../shared/start';

/** Returns Relay's environment: queries and mutations by fetch, subscriptions by WebSocket. */
export function newEnvironment(server: Server, options: SocketOptions): Environment {
  const execute: FetchFunction = async (request, variables) => {
    const response = await fetch(server.graphql, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${server.accessKey}` },
      body: JSON.stringify({ operationName: request.name, query: request.text, variables }),
    });
    const result = await response.json();
    if (isSignedOut(result.errors)) options.onSignedOut();
    return result;
  };
  const socket = newSocket(server, options);
  const subscribe: SubscribeFunction = (request, variables) => Observable.create((sink) => (
    socket.subscribe({ operationName: request.name, query: request.text!, variables }, sink as never)
  ));
  return new Environment({ network: Network.create(execute, subscribe), store: new Store(new RecordSource()) });
}
