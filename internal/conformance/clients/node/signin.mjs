// The pages of sign-in in Chromium: what a browser and clients make of them.

import assert from 'node:assert/strict';

import { assertAccessible, inside, outside } from './barriers.mjs';
import { newcomer, password } from './people.mjs';
import { stepTimeout } from './scenarios.mjs';
import { idle } from './server.mjs';
import {
  awaitAutofocus, enter, exchange, owner, redirectURI, register, signIn, siteURL,
} from './visitor.mjs';

// focused returns what the cursor is at.
const focused = async (page) => (await page.locator(':focus').textContent()).trim();

// open returns a new page, and what its console and its scripts complain of.
export async function open(browser, options) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(stepTimeout);
  const said = [];
  // A browser reports every response over 399, also the page itself.
  const expected = /^Failed to load resource: .* (4\d\d) /;
  context.on('console', (message) => expected.test(message.text()) || said.push(message.text()));
  context.on('weberror', (error) => said.push(error.error().stack));
  return { context, page: await context.newPage(), said };
}

// barriers returns scenarios that look at pages in one tab, so in turn: a tab for each
// would take more time.
function barriers(browser, pages) {
  let tab;
  return Object.fromEntries(Object.entries(pages).map(([name, go]) => [`has no barrier: ${name}`, async () => {
    tab ??= await open(browser);
    await go(tab.page);
    await assertAccessible(tab.page);
    assert.deepEqual(tab.said.splice(0), [], 'the console');
  }]));
}

// tabs returns groups of scenarios; those of a group are run in turn.
export const tabs = (browser) => [barriers(browser, outside), barriers(browser, inside)];

// scenarios returns what people and clients do with the pages.
export function scenarios(browser) {
  // visit calls a function with a page of its own.
  const visit = async (options, use) => {
    const { context, page, said } = await open(browser, options);
    try {
      await use(page, context, said);
      assert.deepEqual(said, [], 'the console');
    } finally {
      await context.close();
    }
  };

  return {
    'works without scripts and by keyboard': () => visit({ javaScriptEnabled: false }, async (page) => {
      const { client, address } = await register();
      const person = await enter(page, address);
      for (const stop of ['Portico', 'Allow', 'Cancel', 'Use another account']) {
        await page.keyboard.press('Tab');
        assert.equal(await focused(page), stop);
      }
      await page.keyboard.press('Shift+Tab');
      await page.keyboard.press('Shift+Tab');
      await page.keyboard.press('Enter');
      await page.waitForURL(`${redirectURI}?**`);
      const key = await exchange(client, new URL(page.url()));
      assert.equal(await owner(key), person.email);
      await page.goto(`${idle.url}/account/key`);
      assert.equal(await page.getByLabel('Your key').inputValue(), key);
      assert.equal(await page.getByRole('button', { name: 'Copy' }).isVisible(), false, 'a button that does nothing is there');
    }),

    'comes back to the site whose pop-up it is': () => visit({}, async (page, context) => {
      const { client, address } = await register();
      const person = await newcomer(idle);
      await page.goto(siteURL);
      const opened = context.waitForEvent('page');
      // The site looks every now and then whether its pop-up is back at a page of its own.
      const back = page.evaluate((url) => new Promise((resolve, reject) => {
        const popup = window.open(url, 'signin', 'popup,width=480,height=640');
        const timer = setInterval(() => {
          try {
            if (popup.closed) throw new Error('the pop-up is out of reach');
            if (popup.location.pathname !== '/callback') return;
            resolve(popup.location.href);
            popup.close();
          } catch (error) {
            if (error.name === 'SecurityError') return; // at the pages of the server
            reject(error);
          }
          clearInterval(timer);
        }, 20);
      }), address);
      const popup = await opened;
      await popup.waitForURL(`${idle.url}/login?**`);
      assert.equal(await popup.evaluate(() => window.opener !== null), true, 'the pop-up has lost its opener');
      await signIn(popup, person.email);
      await popup.getByRole('button', { name: 'Allow' }).click();
      assert.equal(await owner(await exchange(client, new URL(await back))), person.email);
    }),

    'lets another account answer': () => visit({}, async (page) => {
      const { client, address } = await register();
      const first = await enter(page, address);
      await page.getByText(`You are signed in as ${first.email}`).waitFor();
      await page.getByRole('button', { name: 'Use another account' }).click();
      const second = await newcomer(idle);
      await signIn(page, second.email);
      await page.getByText(`You are signed in as ${second.email}`).waitFor();
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.waitForURL(`${redirectURI}?**`);
      assert.equal(await owner(await exchange(client, new URL(page.url()))), second.email);
    }),

    'goes on to the client after signing up': () => visit({}, async (page) => {
      const { address } = await register();
      await page.goto(address);
      await page.getByRole('link', { name: 'Create an account' }).click();
      const email = `${crypto.randomUUID()}@example.com`;
      await awaitAutofocus(page);
      await page.getByLabel('E-mail address').fill(email);
      await page.getByLabel('Name').fill('Ada');
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Create an account' }).click();
      await page.getByText(`You are signed in as ${email}`).waitFor();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.waitForURL(`${redirectURI}?**`);
      const { searchParams: returned } = new URL(page.url());
      assert.deepEqual([returned.get('error'), returned.get('state')], ['access_denied', 'the state']);
    }),

    'copies the key': () => visit({ permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
      await enter(page);
      await page.getByRole('button', { name: 'Generate a key' }).click();
      await page.getByRole('button', { name: 'Copy' }).click();
      await page.getByRole('status').getByText('Copied.').waitFor();
      const key = await page.getByLabel('Your key').inputValue();
      assert.equal(await page.evaluate(() => navigator.clipboard.readText()), key);
    }),

    'cannot be framed': () => visit({}, async (page, _, said) => {
      await page.goto(siteURL);
      const refused = page.waitForEvent('console');
      await page.evaluate((url) => {
        const frame = document.createElement('iframe');
        frame.src = url;
        document.body.append(frame);
      }, `${idle.url}/login`);
      await refused;
      assert.match(said.pop(), /frame-ancestors 'none'/);
    }),
  };
}
