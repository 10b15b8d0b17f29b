// Retries a failed job as an operator, and prints what is wrong, a line each.
// Usage: node retry.mjs BASE SIGNAL
// BASE is the address of a server without accounts and without a worker. A request to SIGNAL?job=ID
// makes the first account an operator, and the job fail.
import { ask, start } from './person.mjs';

const [base, signal] = process.argv.slice(2);
const { browser, context, page } = await start(base, (text) => console.log(text));
const run = (query, variables) => ask(context, base, query, variables);

await page
  .locator('input[type=file]:not([webkitdirectory])')
  .setInputFiles({ name: 'room.spz', mimeType: 'application/octet-stream', buffer: Buffer.alloc(1000, 7) });
await page.getByRole('button', { name: 'Remove room.spz from this list' }).waitFor(); // it is stored
const { id } = (await run(`{ files(first: 1) { nodes { id } } }`)).files.nodes[0];
const { job } = (await run(`mutation ($id: ID!) { convertFile(input: { fileId: $id, to: SOG }) { job { jobId } } }`, { id })).convertFile;
await context.request.post(`${signal}?job=${job.jobId}`);
await page.goto(`${base}/console/operator/server`);
const jobs = page
  .locator('section')
  .filter({ has: page.getByRole('heading', { name: 'Jobs' }) })
  .locator('li');
await jobs.getByText('Failed').waitFor();
await jobs.getByRole('button', { name: 'Try again now' }).press('Enter');
await jobs.getByText('Waiting', { exact: true }).waitFor(); // the new job, without a reload
await browser.close();
console.log('done');
