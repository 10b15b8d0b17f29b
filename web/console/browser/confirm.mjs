// Confirms uploads in unusual moments, and prints what is wrong, a line each.
// Usage: node confirm.mjs BASE
// BASE is the address of a server without accounts.
import { ask, start } from './person.mjs';

const wrong = (text) => console.log(text);
const [base] = process.argv.slice(2);
const { browser, context, page } = await start(base, wrong);
const input = page.locator('input[type=file]:not([webkitdirectory])');
/** A zip with a text, which a job stores. */
const zip = Buffer.from(
  'UEsDBBQAAAAAAAAAIVwoL7ApBAAAAAQAAAAIAAAAeWFyZC50eHR5YXJkUEsBAhQAFAAAAAAAAAAhXCgvsCkEAAAABAAAAAgAAAAAAAAAAAAAAIABAAAAAHlhcmQu' +
    'dHh0UEsFBgAAAAABAAEANgAAACoAAAAAAA==',
  'base64',
);
const isConfirmation = (route) => route.request().postData()?.includes('mutation CompleteUpload(');

await confirmThroughFault('walls.bin', 40 << 20, 3);
await confirmThroughFault('door.bin', 1000, 0);
await confirmAfterReload();
await removeConfirmed('floor.bin', Buffer.alloc(1000, 7));
await removeConfirmed('yard.zip', zip);
await browser.close();
console.log('done');

// confirmThroughFault uploads a file whose first confirmation gets an internal error. The file is not
// abandoned, and is sent only once: in pieces if it is large.
async function confirmThroughFault(name, size, pieces) {
  const sent = { CreateUpload: 0, AbandonUpload: 0, PATCH: 0 };
  const count = (request) => {
    if (request.method() === 'PATCH') sent.PATCH++;
    const mutation = /mutation (CreateUpload|AbandonUpload)\(/.exec(request.postData() ?? '');
    if (mutation) sent[mutation[1]]++;
  };
  page.on('request', count);
  const confirmations = await failOnce();
  await input.setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.alloc(size, 7) });
  await remove(name);
  page.off('request', count);
  const want = { CreateUpload: 1, AbandonUpload: 0, PATCH: pieces };
  if (JSON.stringify(sent) !== JSON.stringify(want)) wrong(`${name}: sent ${JSON.stringify(sent)}, want ${JSON.stringify(want)}`);
  if (confirmations() !== 2) wrong(`${name}: ${confirmations()} confirmations, want 2`);
}

// failOnce responds to the next confirmation with an internal error. It returns a function that returns
// the number of confirmations.
async function failOnce() {
  let confirmations = 0;
  await page.route('**/graphql', (route) => {
    if (!isConfirmation(route) || confirmations++ > 0) return route.continue();
    return route.fulfill({ json: { errors: [{ message: 'Internal server error', extensions: { code: 'INTERNAL' } }] } });
  });
  return () => confirmations;
}

// remove waits until the file is stored, and takes its upload off the list.
async function remove(name) {
  await page.getByText('Stored, but no space can show').waitFor();
  await page.getByRole('button', { name: `Remove ${name}` }).click();
  await page.getByText('Stored, but no space can show').waitFor({ state: 'detached' });
}

// confirmAfterReload loads the page again while an upload is confirmed. The next page confirms the
// upload, also through a fault of the server.
async function confirmAfterReload() {
  await page.route('**/graphql', (route) => (isConfirmation(route) ? undefined : route.fallback()));
  await input.setInputFiles({ name: 'roof.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(1000, 7) });
  await page.evaluate(async () => {
    // waitForFunction does not wait for promises
    const [{ name }] = await indexedDB.databases();
    const settle = (request) =>
      new Promise((resolve) => {
        request.onsuccess = () => resolve(request.result);
      });
    const database = await settle(indexedDB.open(name));
    const isConfirming = ({ name, step }) => name === 'roof.bin' && step === 'confirming';
    while (!(await settle(database.transaction('uploads').objectStore('uploads').getAll())).some(isConfirming));
    database.close();
  });
  const confirmations = await failOnce();
  await page.reload();
  await remove('roof.bin');
  if (confirmations() !== 2) wrong(`after the reload: ${confirmations()} confirmations, want 2`);
}

// removeConfirmed removes an upload while the response to its confirmation is on its way, and after the
// job of a zip has ended. The file is deleted.
async function removeConfirmed(name, buffer) {
  let release;
  const removed = new Promise((resolve) => {
    release = resolve;
  });
  const confirmed = new Promise(
    (resolve) =>
      void page.route('**/graphql', async (route) => {
        if (!isConfirmation(route)) return route.continue();
        const response = await route.fetch();
        resolve((await response.json()).data.completeUpload.confirmation);
        await removed;
        return route.fulfill({ response });
      }),
  );
  const deletion = page.waitForResponse((response) => response.request().postData()?.includes('mutation DeleteFile('));
  await input.setInputFiles({ name, mimeType: 'application/octet-stream', buffer });
  const { file, job } = await confirmed;
  const fileId = file?.id ?? (await fileOf(job.id));
  await page.getByRole('button', { name: `Cancel ${name}` }).click();
  release();
  const { data } = await (await deletion).json();
  if (data?.deleteFile?.deletedFileId !== fileId) wrong(`${name}: the deletion returns ${JSON.stringify(data)}, want the file ${fileId}`);
}

// fileOf waits until a job has ended, and returns the id of its file.
async function fileOf(id) {
  for (;;) {
    const { job } = await ask(context, base, 'query Ended($id: ID!) { job(id: $id) { status file { id } } }', { id });
    if (job.status === 'COMPLETED') return job.file.id;
    if (job.status === 'FAILED') throw new Error('the job of the zip has failed');
    await page.waitForTimeout(100);
  }
}
