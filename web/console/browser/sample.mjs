// Clicks the sample garden, stands in it, and goes on from there; prints what is wrong, a line each.
// Usage: node sample.mjs BASE
// BASE is the address of a server without accounts and without a worker.
import { ask, start } from './person.mjs';

const [base] = process.argv.slice(2);
const wrong = (text) => console.log(text);
const { browser, context, page } = await start(base, wrong);

// One click leads into the space, which asks in place for what comes next.
await page.getByRole('button', { name: 'Try it with a sample garden' }).click();
await page.locator('#scene').waitFor();
const card = page.getByRole('complementary', { name: 'Here is your space' });
for (const name of ['Set the first view', 'Copy link']) await card.getByRole('button', { name }).waitFor();
await card.getByLabel('Who can see this?').waitFor();

// One stands where the view is best, whatever the search for a start finds.
const { nodes } = (await ask(context, base, '{ files { nodes { name start { position setByOwner } } } }')).files;
if (nodes.length !== 1 || !nodes[0].start.setByOwner || nodes[0].start.position[1] !== 1.65) wrong(`files: ${JSON.stringify(nodes)}`);
await browser.close();
console.log('done');
