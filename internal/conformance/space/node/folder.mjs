// A plugin folder: a page of another origin imports its module, which finds its neighbours by relative
// addresses, and a space runs it in its frame.

import assert from 'node:assert/strict';
import { finish, given, open, view, visitor } from './browser.mjs';

const stranger = await visitor({}, [given.host, given.bucket]);
const { page } = stranger;
await page.goto(given.host);
assert.deepEqual(await page.evaluate((address) => import(address).then(({ parts }) => parts()), given.module), {
  greeting: 'Hello from a neighbour', answer: 42, fetched: 'two', imported: 'two', wasm: 42, width: 64, style: 'blue',
});

await open(page, given.space, view('fly', [0, 1.5, 3], 0));
const panel = page.locator('#scene .plugins section:visible').filter({ has: page.getByRole('heading', { name: 'Hello from a neighbour' }) });
await panel.waitFor();
assert.match(await panel.textContent(), /The answer is 42/);
await finish(stranger);
