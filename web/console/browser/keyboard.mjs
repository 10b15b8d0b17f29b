// Walks through all views of the console by the keyboard alone, and prints what is wrong, a line each.
// Usage: node keyboard.mjs BASE [SECONDS]
// BASE is the address of a server without accounts, which makes the first one an operator. SECONDS is how long to wait for what should come.
// ROUTES has the routes of the console; see routes.mjs.
import { chromium } from './chromium.mjs';
import { focusedOn } from './focus.mjs';
import { unvisited, visit } from './routes.mjs';

const [base, seconds = '120'] = process.argv.slice(2);
const timeout = Number(seconds) * 1000; // the machine may be busy
const wrong = (text) => console.log(text);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] });
process.once('SIGINT', () => void browser.close().finally(() => process.exit(1)));
const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en', reducedMotion: 'reduce' });
context.setDefaultTimeout(timeout);
const page = await context.newPage();
const focused = () => focusedOn(page);
page.on('pageerror', (error) => wrong(`error: ${error.message}`));
let going = 0; // requests without a response yet
page.on('request', () => {
  going += 1;
});
for (const end of ['requestfinished', 'requestfailed'])
  page.on(end, () => {
    going -= 1;
  });

await fill();
const views = await addresses();
for (const [name, path] of Object.entries(views)) await walk(name, path);
for (const route of unvisited()) wrong(`the keyboard has not walked through the route ${route}`);
await scrollRegion();
await useDialogs();
await useActions();
await navigate();
await browser.close();
console.log('done');

// fill makes an account, and something for each view to show.
async function fill() {
  await page.goto(base);
  await page.getByLabel('E-mail address').fill('ada@example.com');
  await page.getByLabel('Name').fill('Ada');
  await page.getByLabel('Password').fill('correct horse battery');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${base}/console`);
  await page.getByRole('link', { name: 'Operator' }).or(page.getByText('Your first space starts here')).first().waitFor();
  await page.evaluate(() => {
    const pixel = atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==');
    const transfer = new DataTransfer();
    for (const name of ['plan.png', 'map.png'])
      transfer.items.add(
        new File([Uint8Array.from(name === 'map.png' ? `${pixel} ` : pixel, (c) => c.charCodeAt(0))], name, { type: 'image/png' }),
      );
    dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, cancelable: true }));
  });
  await page.locator('#tray button').press('Enter');
  await page.getByText('Ready.').nth(1).waitFor();
  for (const name of ['plan.png', 'map.png']) await page.getByRole('button', { name: new RegExp(`^Remove ${name}`) }).click();
  const space = (await ask(`mutation { createSpace(input: { title: "Hall" }) { space { id spaceId } } }`)).createSpace.space;
  await ask(`mutation { createSpace(input: { title: "Attic" }) { space { id } } }`);
  await ask(
    `mutation ($id: ID!) { createEntity(input: { spaceId: $id, type: "DynamicGate", data: { title: "Way out", link: "https://example.com", platform: "<auto-detect>", dynamicGate: { position: { x: 0, y: 0, z: -3 }, rotation: { x: 0, y: 0, z: 0 } } } }) { entity { id } } }`,
    { id: space.id },
  );
  const { files } = await ask(`{ files(first: 5) { nodes { id name } } }`);
  const plan = files.nodes.find(({ name }) => name === 'plan.png');
  await ask(`mutation ($id: ID!, $file: ID!) { createEntity(input: { spaceId: $id, fileId: $file }) { entity { id } } }`, {
    id: space.id,
    file: plan.id,
  });
  await ask(
    `mutation ($id: ID!) { createEntity(input: { spaceId: $id, data: { name: "Lamp", glbUrl: "https://example.com/lamp.mjs", params: { label: "A lamp", lit: true } } }) { entity { id } } }`,
    { id: space.id },
  );
  // A change set ends its version, so the walk through the space makes another.
  await ask(
    `mutation ($id: ID!) { applyChanges(input: { spaceId: $id, puts: [{ path: "space/assets/map.json", content: "{}" }] }) { noChanges } }`,
    { id: space.spaceId },
  );
  for (const host of ['one', 'two'])
    await ask(`mutation { createWebhook(input: { url: "http://${host}.example/", events: [JOB_ENDED] }) { secret } }`);
}

// addresses returns the path of each view.
async function addresses() {
  const { spaces, files } = await ask(`{ spaces(first: 5) { nodes { spaceId title } } files(first: 5) { nodes { id name } } }`);
  return {
    spaces: '/console',
    'spaces at their other address': '/console/spaces',
    files: '/console/files',
    activity: '/console/activity',
    account: '/console/account',
    space: `/console/spaces/${spaces.nodes.find(({ title }) => title === 'Hall').spaceId}`,
    file: `/console/files/${files.nodes.find(({ name }) => name === 'plan.png').id}`,
    "operator's accounts": '/console/operator',
    "operator's spaces": '/console/operator/spaces',
    "operator's server": '/console/operator/server',
    "operator's audit": '/console/operator/audit',
    unknown: '/console/nowhere',
  };
}

// ask sends a document as the console does.
async function ask(query, variables = {}) {
  const { data, errors } = await page.evaluate(
    async (body) =>
      (
        await fetch('/graphql', {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify(body),
        })
      ).json(),
    { query, variables },
  );
  if (errors) throw new Error(`${query}: ${JSON.stringify(errors)}`);
  return data;
}

// settle waits until nothing is asked of the server and what came is drawn.
async function settle() {
  do {
    await page.evaluate(
      () =>
        new Promise((done) => {
          requestAnimationFrame(() => requestAnimationFrame(done));
        }),
    );
  } while (going > 0);
  await page.evaluate(
    () =>
      new Promise((done) => {
        requestAnimationFrame(() => requestAnimationFrame(done));
      }),
  );
}

async function open(path) {
  await page.goto(base + path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await settle();
}

// walk tabs through a view from its start to its end, and operates what it reaches. Each element that can
// be operated has its turn, is outlined and is in the window. An operation may add elements above the
// focus, such as a new version of the space. A second walk reaches these, and operates nothing.
async function walk(name, path) {
  await open(path);
  visit(page);
  await tabThrough(name, true);
  if ((await missed()).length > 0) await tabThrough(name, false);
  for (const element of await missed()) wrong(`${name}: Tab does not reach ${element}`);
}

async function tabThrough(name, operates) {
  await page.evaluate(() => {
    document.querySelectorAll('[data-seen]').forEach((element) => {
      delete element.dataset.seen;
    });
    document.activeElement.blur();
    getSelection().setPosition(document.body, 0); // the next Tab starts here
  });
  const reached = [];
  for (let count = 0; count < 300; count += 1) {
    await page.keyboard.press('Tab');
    const now = await focused();
    if (now.tag === 'BODY' || now.name === reached[0]?.name) break;
    if (now.again) wrong(`${name}: Tab leads from ${reached.at(-1)?.name} back to ${now.name}`);
    reached.push(now);
    if (!now.outlined) wrong(`${name}: ${now.name} has no visible focus`);
    if (!now.inView) wrong(`${name}: ${now.name} has the focus outside of the window`);
    if (operates) await operate(name, now);
  }
  if (reached[0]?.name !== 'a Skip to the content') wrong(`${name}: the first Tab leads to ${reached[0]?.name}`);
}

// missed returns the elements that can be operated and have not had the focus in this walk.
function missed() {
  return page.evaluate(() =>
    [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [role=button], [onclick]')]
      .filter((element) => element.checkVisibility() && element.dataset.seen !== 'yes' && !element.closest('[aria-hidden=true]'))
      .filter(
        (element) =>
          element.type !== 'radio' || ![...document.getElementsByName(element.name)].some((other) => other.dataset.seen === 'yes'),
      )
      .map((element) => element.outerHTML.slice(0, 120)),
  );
}

// scrollRegion makes the table of files too wide for its region, and then narrow again: the region is a
// Tab stop only while it scrolls.
async function scrollRegion() {
  await open(views.files);
  const region = page.getByRole('region', { name: 'Files' });
  if (await region.getAttribute('tabindex')) wrong('a region that does not scroll is a Tab stop');
  await region.evaluate((element) => {
    element.style.width = '5rem';
  });
  await page.locator("[role=region][tabindex='0']").waitFor();
  await region.evaluate((element) => {
    element.style.width = '';
  });
  await page.locator('[role=region]:not([tabindex])').waitFor();
}

// operate changes a field or a choice by the keyboard, and sees that the focus stays.
async function operate(view, { name, tag, type, popup }) {
  const before = await page.evaluate(() => {
    const { value, checked } = document.activeElement;
    return { value, checked };
  });
  const first = await page.evaluate(() => document.activeElement.selectedIndex);
  const key =
    tag === 'SELECT'
      ? first > 0
        ? 'ArrowUp'
        : 'ArrowDown'
      : type === 'radio'
        ? 'ArrowDown'
        : type === 'checkbox'
          ? 'Space'
          : tag === 'TEXTAREA' || tag === 'INPUT'
            ? '7'
            : popup
              ? 'Enter'
              : '';
  if (!key) return;
  const readOnly = await page.evaluate(() => document.activeElement.readOnly === true);
  await page.keyboard.press(key);
  await settle();
  if (popup) {
    if (!(await page.evaluate(() => document.querySelector(':popover-open')))) wrong(`${view}: Enter does not open ${name}`);
    await page.keyboard.press('Tab');
    if (!(await page.evaluate(() => document.activeElement.closest(':popover-open')))) wrong(`${view}: Tab does not lead into ${name}`);
    await page.keyboard.press('Escape');
    if ((await focused()).name !== name) wrong(`${view}: Escape does not lead back to ${name}`);
    return;
  }
  const after = await page.evaluate(() => {
    const { value, checked, tagName } = document.activeElement;
    return { value, checked, tagName };
  });
  if (after.tagName === 'BODY') wrong(`${view}: ${name} loses the focus when it changes`);
  const sameText = readOnly || (after.value === before.value && after.checked === before.checked);
  if (sameText !== readOnly) wrong(`${view}: ${key} does not change ${name}: ${JSON.stringify([before, after])}`);
  if (key === 'Space') await page.keyboard.press('Space');
  if (tag === 'SELECT') await page.keyboard.press(first > 0 ? 'ArrowDown' : 'ArrowUp');
  await settle();
}

// press focuses a button as Tab does, and presses Enter.
async function press(button) {
  await button.focus();
  await page.keyboard.press('Enter');
}

// kept checks that the focus is on the page, and within an element if one is given.
async function kept(when, within) {
  await settle();
  const now = await focused();
  if (now.tag === 'BODY') wrong(`${when}: the focus is lost`);
  else if (within && !(await within.evaluate((element) => element.contains(document.activeElement))))
    wrong(`${when}: the focus is on ${now.name}`);
}

// useDialogs opens each dialog: it has a name, Tab goes round within it in both directions, Escape
// closes it, and the focus is where it was.
async function useDialogs() {
  const dialogs = [
    ['spaces', 'New space'],
    ['file', 'Place it in…'],
    ['file', 'Delete…'],
    ['space', 'Add a gate…'],
    ['space', 'Edit Way out'],
    ['space', 'Settings for Lamp'],
    ['space', /^Restore version/],
    ['space', 'Delete…'],
    ['account', 'Add a passkey…'],
    ['account', 'Turn on…'],
    ['account', 'Add a webhook…'],
    ['account', 'Log: http://one.example/'],
    ['account', 'Edit…: http://one.example/'],
    ['account', 'Delete…: http://one.example/'],
    ['account', 'Delete the account…'],
    ["operator's accounts", 'ada@example.com'],
  ];
  let at = '';
  for (const [view, name] of dialogs) {
    if (at !== view) await open(views[view]);
    at = view;
    const opener = page.getByRole('button', { name, exact: true }).first();
    await opener.waitFor();
    await press(opener);
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await kept(`${name} opens`, dialog);
    if ((await page.getByRole('dialog', { name: /./ }).count()) !== 1) wrong(`${name} opens a dialog without a name`);
    const first = (await focused()).name;
    let rounds = 0;
    for (const key of ['Tab', 'Shift+Tab']) {
      for (let count = 0; count < 40; count += 1) {
        await page.keyboard.press(key);
        const now = await focused();
        if (!(await dialog.evaluate((element) => element.contains(document.activeElement))))
          wrong(`${name}: ${key} leads out of the dialog to ${now.name}`);
        if (!now.outlined) wrong(`${name}: ${now.name} has no visible focus`);
        if (now.name === first) {
          rounds += 1;
          break;
        }
      }
    }
    if (rounds !== 2) wrong(`${name}: Tab does not go round`);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await kept(`${name} closes`, opener);
  }
}

// useActions does what removes or changes the element that has the focus.
async function useActions() {
  const button = (name) => page.getByRole('button', { name, exact: true });
  const dialog = page.getByRole('dialog');
  await open(views.account);
  for (const host of ['one', 'two']) {
    // the next one stands there, and then the button that adds one
    await press(button(`Delete…: http://${host}.example/`));
    await dialog.getByRole('textbox').fill(`${host}.example`);
    await page.keyboard.press('Enter');
    await button(`Delete…: http://${host}.example/`).waitFor({ state: 'detached' });
    await kept(`deleted the webhook ${host}`, page.locator('section', { hasText: 'Sends signed events' }).last());
  }
  await page.getByLabel('Name', { exact: true }).fill('Ada Lovelace');
  const profile = page.locator('form', { has: page.getByLabel('Name', { exact: true }) });
  await press(profile.getByRole('button', { name: 'Save' }));
  await page.getByText('Saved', { exact: true }).waitFor();
  await kept('saved the name', profile.getByRole('button', { name: 'Save' }));
  await press(button('Create a key'));
  await page.getByText('Copy it now, and keep it secret.').waitFor();
  await kept('created a key', button('Replace the key…'));

  await open(views.space);
  const radio = page.getByRole('radio', { checked: true });
  const isPublic = (await radio.getAttribute('value')) === 'PUBLIC';
  await radio.focus();
  await page.keyboard.press(isPublic ? 'ArrowUp' : 'ArrowDown'); // the other end
  await button('Undo').waitFor();
  await kept('changed the privacy', page.locator('fieldset'));
  await press(button('Undo'));
  await button('Undo').waitFor({ state: 'detached' });
  await kept('undid the privacy');
  await press(button('Remove plan.png'));
  await page.getByText('plan.png was removed.').waitFor();
  await kept('removed an entity', page.locator('section', { hasText: 'In this space' }).last());
  await press(button('Undo'));
  await page.getByText('plan.png is back.').waitFor();
  await kept('restored an entity', page.locator('section', { hasText: 'In this space' }).last());
  await press(page.getByRole('button', { name: /^Name version/ }).first());
  await kept('names a version', page.getByLabel('Name of the version'));
  await page.keyboard.type('With a gate');
  await page.keyboard.press('Enter');
  await page.getByText('With a gate', { exact: true }).waitFor();
  await kept('named a version', page.locator('section', { hasText: 'With a gate' }).last());
  await press(page.getByRole('button', { name: 'Delete…', exact: true }));
  await dialog.getByRole('textbox').fill('Hall');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${base}/console`);
  await kept('deleted the space', page.locator('main'));

  await open(views.file);
  await press(button('Delete…'));
  await dialog.getByRole('textbox').fill('plan.png');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${base}/console/files`);
  await kept('deleted the file', page.locator('main'));
}

// navigate follows links, and goes back: the focus is in the view that is shown.
async function navigate() {
  await open('/console');
  for (const name of ['Files', 'Activity', 'Account', 'Spaces']) {
    await press(page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name }));
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await kept(`went to ${name}`, page.locator('main'));
  }
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
  await kept('went back', page.locator('main'));
  await page.keyboard.press('Tab');
  if ((await focused()).name !== 'button Sign out') wrong(`the first Tab in the view leads to ${(await focused()).name}`);
}
