// Loses the connection of an upload and removes an upload by two clicks, and prints what is wrong, a
// line each.
// Usage: node resend.mjs BASE
// BASE is the address of a server without accounts and without a worker.
import { start } from './person.mjs';

const [base] = process.argv.slice(2);
const wrong = (text) => console.log(text);
const { browser, page } = await start(base, () => {}); // the page reports the lost connection
const input = page.locator('input[type=file]:not([webkitdirectory])');
const fileOf = (name) => ({ name, mimeType: 'application/octet-stream', buffer: Buffer.alloc(1000, 7) });
const removeButton = (name) => page.getByRole('button', { name: `Remove ${name} from this list`, exact: true });

await resend();
await removeTwice();
await browser.close();
console.log('done');

// resend uploads a file whose first connection is lost: the page frees the storage that is reserved for
// the first try before it reserves storage for the second one.
async function resend() {
  const operations = [];
  page.on('request', (request) => {
    const [operation] = /(create|abandon|complete)Upload/.exec(request.postData() ?? '') ?? [];
    if (operation && request.url().endsWith('/graphql')) operations.push(operation);
  });
  await page.route(
    () => true,
    (route) => (route.request().method() === 'PUT' ? route.abort('connectionreset') : route.fallback()),
  );
  await input.setInputFiles(fileOf('hall.spz'));
  await page.getByText(/^The connection/).waitFor();
  await page.unrouteAll();
  await removeButton('hall.spz').waitFor();
  const want = 'createUpload abandonUpload createUpload completeUpload';
  if (operations.join(' ') !== want) wrong(`got the operations ${operations.join(' ')}, want ${want}`);
}

// removeTwice clicks twice on the button of an upload before the page changes: the other upload stays.
async function removeTwice() {
  await input.setInputFiles(fileOf('mill.spz'));
  await page.locator('#tray button').click(); // several uploads are a line
  await removeButton('mill.spz').evaluate((button) => {
    button.click();
    button.click();
  });
  await removeButton('mill.spz').waitFor({ state: 'detached' });
  if (!(await removeButton('hall.spz').count())) wrong('the page removed another upload too');
}
