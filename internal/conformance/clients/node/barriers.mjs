// Every page of sign-in, looked at with axe: who can use it.

import { AxeBuilder } from '@axe-core/playwright';
import assert from 'node:assert/strict';

import { closed, idle } from './server.mjs';
import { awaitAutofocus, enter, register, signIn } from './visitor.mjs';

// What a stranger sees, each with how to get there.
export const outside = {
  'sign in': (page) => page.goto(`${idle.url}/login`),
  'sign in with a provider and without sign-up': async (page) => {
    await page.goto(`${closed.url}/login`);
    assert.equal(await page.getByRole('link', { name: 'Create an account' }).count(), 0);
    await page.getByRole('link', { name: 'Continue with provider.invalid' }).waitFor();
  },
  'sign in with a wrong password': async (page) => {
    await page.goto(`${idle.url}/login`);
    await signIn(page, 'nobody@example.com');
    await page.getByRole('alert').getByText('E-mail address or password is wrong').waitFor();
  },
  'sign up': (page) => page.goto(`${idle.url}/signup`),
  'sign up with mistakes': async (page) => {
    await page.goto(`${idle.url}/signup`);
    await awaitAutofocus(page);
    await page.getByLabel('E-mail address').fill('ada@example.com');
    await page.getByLabel('Name').fill('Ada');
    await page.getByLabel('Password').fill('short');
    await page.getByRole('button', { name: 'Create an account' }).click();
    await page.getByText('Password must have at least 8 characters').waitFor();
    assert.equal(await page.locator(':focus').getAttribute('name'), 'password');
  },
  'sign up where it is switched off': (page) => page.goto(`${closed.url}/signup`),
  'error for a client that is not registered': async (page) => {
    const response = await page.goto(`${idle.url}/authorize?client_id=none`);
    assert.equal(response.status(), 400);
    await page.getByText('The app that sent you here is not registered').waitFor();
  },
  'error for a method that a page has not': async (page) => {
    const response = await page.goto(`${idle.url}/logout`);
    assert.equal(response.status(), 405);
  },
};

// What somebody sees who has just signed up, in this order.
export const inside = {
  'key that there is none of': async (page) => {
    await enter(page);
    await page.getByText('You have no key.').waitFor();
  },
  'key': async (page) => {
    await page.getByRole('button', { name: 'Generate a key' }).click();
    await page.getByLabel('Your key').waitFor();
  },
  'key and what replaces it': async (page) => {
    await page.getByText('Replace or revoke the key').click();
    await page.getByRole('button', { name: 'Revoke the key' }).waitFor();
  },
  'consent': async (page) => {
    await page.goto((await register()).address);
    await page.getByText('an app on this computer').waitFor();
  },
  'consent for a client without a name and TLS': async (page) => {
    await page.goto((await register({ client_name: '', redirect_uris: ['http://client.example/callback'] })).address);
    await page.getByText('This address is not encrypted').waitFor();
  },
  'consent that has expired': async (page) => {
    await page.goto((await register()).address);
    await page.locator('input[name=form_token]').evaluate((input) => { input.value = 'another'; });
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('alert').getByText('This page has expired').waitFor();
  },
};

// standards are the rules of axe that are more than taste, and best practice too.
const standards = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

// narrow is the screen in pixels on which nothing may stand out at the side (WCAG 1.4.10).
const narrow = 320;

async function assertNoViolation(axe) {
  // Without frames the old mode finds the same and opens no tab of its own.
  const { violations } = await axe.setLegacyMode().analyze();
  assert.deepEqual(violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html)}`), []);
}

// assertAccessible looks at the page as it is, in both colour schemes, and on a narrow
// screen.
export async function assertAccessible(page) {
  await page.emulateMedia({ colorScheme: 'light' });
  await assertNoViolation(new AxeBuilder({ page }).withTags(standards));
  await page.emulateMedia({ colorScheme: 'dark' });
  await assertNoViolation(new AxeBuilder({ page }).withRules(['color-contrast']));
  const { width: before, height } = page.viewportSize();
  await page.setViewportSize({ width: narrow, height });
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  await page.setViewportSize({ width: before, height });
  assert.ok(width <= narrow, `it is ${width} pixels wide on a screen of ${narrow}`);
}
