// Limits how long a query waits for its response.

import { makeOperation, mapExchange } from '@urql/core';
import { fetchWithin } from 'portico-upload/fetch.ts';

/** How long a query waits until its response begins, in milliseconds. Until then an event cannot send it again. */
const maxWait = 60_000;

const fetchInTime: typeof fetch = (input, init) => fetchWithin(maxWait, input, init);

/**
 * Lets a query fail on a dead connection. A mutation has no limit, because it may be long work, such as
 * a restore, or the confirmation of an upload whose parts a bucket joins. The server stops this work
 * when the browser stops waiting, and the next try would start it from the beginning. Most mutations
 * must also not be sent again, because the server may have made their change.
 */
export const queryTimeout = mapExchange({
  onOperation: (operation) =>
    operation.kind === 'query' ? makeOperation('query', operation, { ...operation.context, fetch: fetchInTime }) : operation,
});
