// Creates entities while a page shows their space, and prints what is wrong, a line each.
// Usage: node burst.mjs BASE
// BASE is the address of a server without accounts.
import { ask, start } from './person.mjs';

const base = process.argv[2];
const wrong = (text) => console.log(text);
const { browser, context, page } = await start(base, wrong);
const { space } = (await ask(context, base, `mutation { createSpace(input: { title: "Hall" }) { space { id spaceId } } }`)).createSpace;
const create = (name) =>
  ask(context, base, `mutation ($input: CreateEntityInput!) { createEntity(input: $input) { entity { id } } }`, {
    input: { spaceId: space.id, data: { name } },
  });

await page.goto(`${base}/console/spaces/${space.spaceId}`);
await page
  .getByText('This space is empty')
  .or(page.getByRole('heading', { level: 1 }))
  .first()
  .waitFor();
await create('The first');
await page.getByRole('cell', { name: 'The first', exact: true }).waitFor(); // the events arrive

const asked = new Map();
page.on('request', (request) => {
  const [, name] = /query (\w+)/.exec(request.postData() ?? '') ?? [];
  if (name) asked.set(name, (asked.get(name) ?? 0) + 1);
});
const started = Date.now();
for (let i = 1; i <= 100; i++) await create(`Chair ${i}`);
await page.getByRole('row').nth(101).waitFor(); // the head of the table is the first
await page.getByRole('cell', { name: 'Chair 100', exact: true }).waitFor();
const seconds = (Date.now() - started) / 1000;
if (!asked.has('Space')) wrong('the page did not ask for the space');
for (const [name, count] of asked) if (count > seconds + 2) wrong(`the page asked ${count} times for ${name} in ${seconds} seconds`);
await browser.close();
console.log('done');
