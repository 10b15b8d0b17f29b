// Somebody in Chromium whom a client sends to the pages of the server, and that client.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';

import { newcomer, password } from './people.mjs';
import { call, idle } from './server.mjs';

// site is a client's own site: a page that opens pop-ups, and the place where they
// come back to.
const site = createServer((request, response) => {
  response.writeHead(200, { 'Content-Type': 'text/html' }).end(`<!doctype html><title>A client</title>${request.url}`);
});
await new Promise((resolve) => site.listen(0, '127.0.0.1', resolve));
site.unref();
export const siteURL = `http://127.0.0.1:${site.address().port}`;
export const redirectURI = `${siteURL}/callback`;

const verifier = 'v'.repeat(64);

// register returns the address of an authorization request of a new client.
export async function register(more = {}) {
  const response = await fetch(`${idle.url}/register`, {
    method: 'POST', body: JSON.stringify({ client_name: 'Splat trainer', redirect_uris: [redirectURI], ...more }),
  });
  const { client_id: client } = await response.json();
  const sum = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  const parameters = new URLSearchParams({
    client_id: client, redirect_uri: more.redirect_uris?.[0] ?? redirectURI, response_type: 'code', state: 'the state',
    code_challenge: Buffer.from(sum).toString('base64url'), code_challenge_method: 'S256',
  });
  return { client, address: `${idle.url}/authorize?${parameters}` };
}

// exchange exchanges the code of an address that the browser came back to.
export async function exchange(client, callback) {
  assert.equal(callback.searchParams.get('state'), 'the state');
  const response = await fetch(`${idle.url}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code', code: callback.searchParams.get('code'), redirect_uri: redirectURI,
      client_id: client, code_verifier: verifier,
    }),
  });
  const { access_token: key, error_description: problem } = await response.json();
  assert.ok(key, problem);
  return key;
}

// owner returns the account that the key belongs to.
export const owner = async (key) => (await call({ ...idle, authorization: `Bearer ${key}` }, 'GET', '/v1/user/me')).email;

// awaitAutofocus waits until the page has put the cursor into its first field. The browser complains
// in its console if another field has the cursor by then.
export const awaitAutofocus = (page) => page.locator('[name=email]:focus').waitFor();

// signIn fills in the form by keyboard alone, which proves the order of its fields.
export async function signIn(page, email) {
  await awaitAutofocus(page);
  await page.keyboard.type(email);
  await page.keyboard.press('Tab');
  await page.keyboard.type(password);
  await page.keyboard.press('Enter');
}

// enter signs a newcomer in, on the way to the address.
export async function enter(page, address = `${idle.url}/account/key`) {
  const person = await newcomer(idle);
  await page.goto(address);
  await signIn(page, person.email);
  await page.waitForURL(address);
  return person;
}
