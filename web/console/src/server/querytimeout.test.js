// A query of the console notices that its connection is dead.

import assert from 'node:assert/strict';
import { setImmediate as settled } from 'node:timers/promises';
import { test, vi } from 'vitest';
import { Client, fetchExchange, gql } from '@urql/core';

const { queryTimeout } = await import('./querytimeout.ts');

test('a query without a response ends after a minute as a lost connection', async () => {
  const limits = [];
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
    const limit = new AbortController();
    limits.push({ milliseconds, pass: () => limit.abort(new DOMException('timed out', 'TimeoutError')) });
    return limit.signal;
  });
  vi.spyOn(globalThis, 'fetch').mockImplementation(
    (_address, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
  );
  const client = new Client({ url: 'https://example.com/graphql', preferGetMethod: false, exchanges: [queryTimeout, fetchExchange] });
  let result;
  client.query(gql`query Files { files { totalCount } }`, {}).subscribe((got) => {
    result = got;
  });
  await settled();
  assert.deepEqual(
    limits.map(({ milliseconds }) => milliseconds),
    [60_000],
  );
  assert.equal(result, undefined);
  limits[0].pass();
  await settled();
  assert.equal(result?.error?.networkError?.name, 'TimeoutError');
});
