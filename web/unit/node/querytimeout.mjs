// A query of the console notices that its connection is dead.

import assert from 'node:assert/strict';
import test from 'node:test';
import { Client, fetchExchange, gql } from '@urql/core';
import { settled, source } from './source.mjs';

const { queryTimeout } = await source('console/server/querytimeout.ts');

test('a query without a response ends after a minute as a lost connection', async (t) => {
  const limits = [];
  t.mock.method(AbortSignal, 'timeout', (milliseconds) => {
    const limit = new AbortController();
    limits.push({ milliseconds, pass: () => limit.abort(new DOMException('timed out', 'TimeoutError')) });
    return limit.signal;
  });
  t.mock.method(globalThis, 'fetch', (_address, { signal }) => new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  }));
  const client = new Client({ url: 'https://example.com/graphql', preferGetMethod: false, exchanges: [queryTimeout, fetchExchange] });
  let result;
  client.query(gql`query Files { files { totalCount } }`, {}).subscribe((got) => { result = got; });
  await settled();
  assert.deepEqual(limits.map(({ milliseconds }) => milliseconds), [60_000]);
  assert.equal(result, undefined);
  limits[0].pass();
  await settled();
  assert.equal(result?.error?.networkError?.name, 'TimeoutError');
});
