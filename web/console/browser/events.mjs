// Changes files and spaces behind the console's back, and prints what is wrong, a line each.
// Usage: node events.mjs BASE SIGNAL
// BASE is the address of a server without accounts and without a worker. A request to SIGNAL
// starts the worker.
import { setTimeout } from 'node:timers/promises';
import { chromium } from './chromium.mjs';

const fault = { code: 4500, reason: 'Internal server error' };
const [base, signal] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] });
process.once('SIGINT', () => void browser.close().finally(() => process.exit(1)));
const context = await browser.newContext({ locale: 'en' });
context.setDefaultTimeout(180_000); // the machine may be busy
const page = await context.newPage();
page.on('pageerror', (error) => console.log(`error: ${error.message}`));

let connection; // the page's end of its socket
let connectable = Promise.resolve();
let snapshot; // called when the page has what changed before its connection
let silent; // the end whose messages are lost
let late; // the messages of the space's own subscription that the page does not have yet
let isLate; // called with the first of them
let faults = 0; // how many connections end at once, by a fault of the server
const connected = []; // when the page connected, in milliseconds
await page.routeWebSocket(/\/graphql$/, async (socket) => {
  await connectable;
  connected.push(Date.now());
  if (faults > 0) {
    faults--;
    socket.onMessage(() => socket.close(fault));
    return;
  }
  connection = socket;
  const server = socket.connectToServer();
  server.onMessage((message) => {
    if (socket === silent) return;
    if (late && JSON.parse(message).payload?.data?.space) {
      late.push(() => socket.send(message));
      isLate();
      return;
    }
    socket.send(message);
    if (message.includes('FilesSnapshot')) snapshot?.();
  });
});

await page.goto(base);
await page.getByLabel('E-mail address').fill('ada@example.com');
await page.getByLabel('Name').fill('Ada');
await page.getByLabel('Password').fill('correct horse battery');
await page.keyboard.press('Enter');
await page.waitForURL(`${base}/console`);
const { space } = (await ask(`mutation { createSpace(input: { title: "Hall" }) { space { id spaceId } } }`)).createSpace;
await page.getByRole('link', { name: 'Hall', exact: true }).waitFor(); // the socket is there
await overtake();
await overtakeSnapshot();
await reconnect({ code: 1012, reason: 'the server starts again' });
await reconnect(fault);
await outlastFaults();
await keepList();
await showPicture();
await compareLongTexts();
await outlastSilence();
await browser.close();
console.log('done');

// overtake uploads a file while the socket is lost, and holds the response from before its
// preparation until the page has another socket.
async function overtake() {
  const connect = await disconnect({ code: 1012, reason: 'the server starts again' });
  let held = false;
  await page.route('**/graphql', async (route) => {
    if (held || !route.request().postData()?.includes('query File(')) return route.continue();
    held = true;
    const response = await route.fetch();
    await context.request.post(signal);
    await eventually(async () => {
      const [{ preparation }] = (await ask(`{ files { nodes { preparation { state } } } }`)).files.nodes;
      return preparation.every(({ state }) => state !== 'PENDING');
    });
    const connected = new Promise((resolve) => {
      snapshot = resolve;
    });
    connect();
    await connected;
    await route.fulfill({ response });
  });
  await page
    .locator('input[type=file]:not([webkitdirectory])')
    .setInputFiles({ name: 'walls.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(1 << 20, 7) });
  await page.getByText('Stored, but no space can show').waitFor();
  await page.unroute('**/graphql');
}

// overtakeSnapshot renames the space after the space's own subscription has read its first state, and
// holds that state until the page has the new title from the subscription to all spaces.
async function overtakeSnapshot() {
  const { entity: chair } = (await put({ type: 'UserModelEntity', data: { glbUrl: 'https://example.com/chair.mjs' } })).createEntity;
  late = [];
  const read = new Promise((resolve) => {
    isLate = resolve;
  });
  await page.goto(`${base}/console/spaces/${space.spaceId}`);
  await read;
  await rename('Overtaken');
  const title = page.getByRole('heading', { name: 'Overtaken' });
  await title.waitFor();
  for (const deliver of late) deliver();
  late = undefined;
  await ask(`mutation ($input: UpdateEntityInput!) { updateEntity(input: $input) { entity { id } } }`, {
    input: { entityId: chair.id, data: { name: 'Stool' } },
  });
  await page.getByText('Stool', { exact: true }).waitFor();
  if (!(await title.isVisible())) console.log('an older title replaced the new one');
}

// reconnect changes the space while the socket is lost, which the server has closed like this.
async function reconnect(close) {
  await page.goto(`${base}/console/spaces/${space.spaceId}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await rename('Attic'); // the event comes when the socket is there
  await page.getByRole('heading', { name: 'Attic' }).waitFor();
  const connect = await disconnect(close);
  await rename(`Reconnected after ${close.code}`);
  connect();
  await page.getByRole('heading', { name: `Reconnected after ${close.code}` }).waitFor();
}

// outlastFaults lets three connections end by a fault. The page waits longer after each.
async function outlastFaults() {
  await page.goto(`${base}/console/spaces/${space.spaceId}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await rename('Before the faults'); // the event comes when the socket is there
  await page.getByRole('heading', { name: 'Before the faults' }).waitFor();
  faults = 2;
  connected.length = 0;
  await connection.close(fault);
  await rename('After the faults');
  await page.getByRole('heading', { name: 'After the faults' }).waitFor();
  await eventually(() => connected.length === 3);
  const wait = connected[2] - connected[1];
  if (wait < 5900) console.log(`after three faults the page waited for ${wait} ms only`);
}

// keepList loses the response when the page asks for the versions again: the old response stays, with
// the focus in it, and the error is on the page until the page has tried again.
async function keepList() {
  await page
    .getByRole('button', { name: /^Compare/ })
    .first()
    .focus();
  await page.route('**/graphql', (route) => (route.request().postData()?.includes('spaceVersions(') ? route.abort() : route.continue()));
  await rename('Renamed'); // its event asks for the versions again
  const lost = page.getByText('The server cannot be reached. Check the connection.');
  await lost.waitFor();
  const focused = await page.evaluate(() => document.activeElement.ariaLabel ?? document.activeElement.tagName);
  if (!focused.startsWith('Compare')) console.log(`the versions lost the focus to ${focused}`);
  await page.unroute('**/graphql');
  await lost.waitFor({ state: 'detached' });
}

// showPicture adds a plugin and then a picture to the space, whose page shows the picture: a plugin
// has none.
async function showPicture() {
  await put({ type: 'UserModelEntity', data: { glbUrl: 'https://example.com/lamp.mjs' } });
  await page
    .locator('input[type=file]:not([webkitdirectory])')
    .setInputFiles({ name: 'plan.png', mimeType: 'image/png', buffer: await page.screenshot() });
  await page.getByRole('listitem').filter({ hasText: 'plan.png' }).getByRole('button', { name: 'Make a space' }).waitFor();
  const plan = (await ask(`{ files { nodes { id name } } }`)).files.nodes.find(({ name }) => name === 'plan.png');
  await put({ fileId: plan.id });
  await page.locator('.picture img').waitFor();
  await page.goto(`${base}/console`);
  await page.locator('.cover img').waitFor();
}

// compareLongTexts changes the end of a long text: the comparison of the versions shows the field.
async function compareLongTexts() {
  const note = 'x'.repeat(150);
  const { entity } = (await put({ data: { note } })).createEntity;
  // A change set ends the version before it, and the change of the text makes the next one.
  await ask(
    `mutation ($id: ID!) { applyChanges(input: { spaceId: $id, puts: [{ path: "space/assets/map.json", content: "{}" }] }) { noChanges } }`,
    { id: space.spaceId },
  );
  await ask(`mutation ($input: UpdateEntityInput!) { updateEntity(input: $input) { entity { id } } }`, {
    input: { entityId: entity.id, data: { note: `${note}y` } },
  });
  await page.goto(`${base}/console/spaces/${space.spaceId}`);
  await page
    .getByRole('button', { name: /^Compare version/ })
    .first()
    .click();
  await page
    .getByRole('listitem')
    .filter({ hasText: /^note: x/ })
    .waitFor();
}

// outlastSilence loses what the server sends, as a connection does that is dead without notice. The page
// finds out and connects again.
async function outlastSilence() {
  await page.clock.install();
  await page.goto(`${base}/console/spaces/${space.spaceId}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await rename('Before the silence'); // the event comes when the socket is there
  await page.getByRole('heading', { name: 'Before the silence' }).waitFor();
  silent = connection;
  await rename('After the silence');
  await page.clock.fastForward(15_000); // the page asks whether the connection is alive
  await page.clock.fastForward(15_000); // and gets no response
  await eventually(() => connection !== silent);
  await page.getByRole('heading', { name: 'After the silence' }).waitFor();
}

// disconnect ends the socket, and returns a function that lets the page have another one.
async function disconnect(close) {
  let connect;
  connectable = new Promise((resolve) => {
    connect = resolve;
  });
  await connection.close(close);
  return connect;
}

function put(entity) {
  return ask(`mutation ($input: CreateEntityInput!) { createEntity(input: $input) { entity { id } } }`, {
    input: { spaceId: space.id, ...entity },
  });
}

async function rename(title) {
  await ask(`mutation ($id: ID!, $title: String) { updateSpace(input: { spaceId: $id, title: $title }) { space { id } } }`, {
    id: space.id,
    title,
  });
}

// eventually checks the condition, which nothing announces to this script, until it holds.
async function eventually(condition) {
  for (const end = Date.now() + 180_000; !(await condition()); await setTimeout(50)) {
    if (Date.now() > end) throw new Error(`not in time: ${condition}`);
  }
}

// ask runs a document without the page's client, so that its cache does not notice.
async function ask(query, variables = {}) {
  const response = await context.request.post(`${base}/graphql`, { data: { query, variables }, headers: { Origin: base } });
  const { data, errors } = await response.json();
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}
