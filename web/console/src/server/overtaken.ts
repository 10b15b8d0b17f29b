// An event may overtake an answer: the server reads what it answers before a change, and the
// event of the change arrives first. The cache takes the answer for the newer one, so such a
// query is sent again.

import { type Exchange, makeOperation, mapExchange, type OperationResult } from '@urql/core';

/** Progress of a job comes often, and is no change that a query must not miss. */
const unfinished = ['QUEUED', 'PROCESSING'];

function isChange({ operation, data }: OperationResult): boolean {
  const job = (data as { jobs?: { status: string } } | undefined)?.jobs;
  return operation.kind === 'subscription' && !(job && unfinished.includes(job.status));
}

/** Sends a query again whose answer an event overtook. Its place is after the cache's. */
export const overtakenExchange: Exchange = (input) => {
  let changes = 0;
  const changesBefore = new Map<number, number>();
  return mapExchange({
    onOperation: ({ kind, key }) => {
      if (kind === 'query') changesBefore.set(key, changes);
      else changesBefore.delete(key);
    },
    onResult: (result) => {
      const { operation } = result;
      if (isChange(result)) changes++;
      const before = changesBefore.get(operation.key);
      changesBefore.delete(operation.key);
      if (before === undefined || before === changes) return;
      input.client.reexecuteOperation(makeOperation('query', operation, { ...operation.context, requestPolicy: 'network-only' }));
    },
  })(input);
};
