// The audits of npm graphql-http, with a key and without: whoever asks only for
// the schema needs none.

import { serverAudits } from 'graphql-http';

import { run } from './scenarios.mjs';
import { working } from './server.mjs';

const withKey = (url, init = {}) =>
  fetch(url, { ...init, headers: { ...init.headers, authorization: working.authorization } });

for (const [who, fetchFn] of [['with a key', withKey], ['without a key', fetch]]) {
  const scenarios = {};
  for (const { id, name, fn } of serverAudits({ url: working.graphql, fetchFn })) {
    scenarios[`${who}: ${id} ${name}`] = async () => {
      const result = await fn();
      if (result.status !== 'ok') throw new Error(`${result.status}: ${result.reason}`);
    };
  }
  await run(scenarios);
}
