// Limits how long a query waits for its answer.

import { makeOperation, mapExchange } from '@urql/core';

/**
 * How long a query may take, with its answer, in milliseconds. A browser does not notice a dead
 * connection for minutes, for example after the computer has slept, and until then an event cannot
 * send the query again.
 */
const maxAnswer = 60_000;

function fetchInTime(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const limit = AbortSignal.timeout(maxAnswer);
  return fetch(input, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, limit]) : limit });
}

/** Lets a query fail on a dead connection. A mutation has no limit, because it may be long work, such as a restore. */
export const limitAnswerTime = mapExchange({
  onOperation: (operation) => operation.kind === 'query'
    ? makeOperation('query', operation, { ...operation.context, fetch: fetchInTime }) : operation,
});
