// People at the pages of the server, without a browser: they open addresses, fill in
// the forms that are there, and press their buttons.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';

import { ask } from './server.mjs';

export const password = 'correct horse battery';

const entities = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&#34;': '"', '&#39;': "'", '&#43;': '+' };

const unescape = (html) => html.replace(/&(amp|lt|gt|#34|#39|#43);/g, (entity) => entities[entity]);

// attributes returns those of a tag by their names.
function attributes(tag) {
  return Object.fromEntries([...tag.matchAll(/([a-z-]+)="([^"]*)"/g)].map(([, name, value]) => [name, unescape(value)]));
}

// Person keeps the cookies of one browser at one server.
export class Person {
  #cookies = new Map();

  constructor(server) {
    this.server = server;
  }

  // open gets a page and follows redirects. The last answer is { url, text, status };
  // where a redirect leads elsewhere it is { away }, an address that is not opened.
  async open(address, init = {}) {
    const url = new URL(address, this.server.url);
    if (url.origin !== this.server.url) return { away: url };
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { ...init.headers, Cookie: [...this.#cookies].map((cookie) => cookie.join('=')).join('; ') },
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [name, value] = cookie.split(';')[0].split('=');
      this.#cookies.set(name, value);
    }
    const location = response.headers.get('Location');
    if (location) return this.open(new URL(location, url));
    return { url, status: response.status, text: await response.text() };
  }

  // press fills in the form that has the button, and sends it.
  async press(page, label, fields = {}) {
    for (const [, tag, content] of page.text.matchAll(/<form ([^>]*)>(.*?)<\/form>/gs)) {
      const button = [...content.matchAll(/<button ([^>]*)>(.*?)<\/button>/gs)].find(([, , text]) => unescape(text) === label);
      if (!button) continue;
      const hidden = [...content.matchAll(/<input ([^>]*type="hidden"[^>]*)>/g)].map(([, input]) => attributes(input));
      const body = new URLSearchParams(hidden.map(({ name, value }) => [name, value]));
      for (const [name, value] of Object.entries(fields)) body.set(name, value);
      const { name, value } = attributes(button[1]);
      if (name) body.set(name, value);
      return this.open(new URL(attributes(tag).action, page.url), {
        method: 'POST', body, headers: { Origin: this.server.url },
      });
    }
    assert.fail(`no button "${label}" on ${page.url}: ${page.status} ${page.text}`);
  }
}

// newcomer returns somebody who has just signed up.
export async function newcomer(server) {
  const person = new Person(server);
  person.email = `${randomUUID()}@example.com`;
  const page = await person.open('/signup?next=/account/key');
  const account = await person.press(page, 'Create an account', { email: person.email, name: 'Ada', password });
  assert.match(account.text, /<h1>API key<\/h1>/);
  return person;
}

// signInAgain signs somebody in whose sessions have ended.
export async function signInAgain(person) {
  const page = await person.open('/login?next=/account/key');
  const account = await person.press(page, 'Sign in', { email: person.email, password });
  assert.match(account.text, /<h1>API key<\/h1>/);
}

// keyOf returns the key that the account page shows, after pressing the button that
// makes or shows one.
export async function keyOf(person) {
  const { text } = await person.press(await person.open('/account/key'), 'Generate a key');
  return text.match(/id="key" type="text" value="(portico_[a-z0-9]+)"/)[1];
}

// holder returns a server as the scripts know it, with the key of somebody who has
// just signed up, and that person.
export async function holder(server) {
  const person = await newcomer(server);
  const key = await keyOf(person);
  return { person, server: { ...server, key, authorization: `Bearer ${key}` } };
}

// endings are the ways in which people end a key.
export const endings = {
  page: async (person) => person.press(await person.open('/account/key'), 'Revoke the key'),
  replacement: async (person) => person.press(await person.open('/account/key'), 'Generate a new key'),
  graphql: (_, server) => ask(server, 'mutation { revokeApiKey { revoked } }'),
  oauth: (_, server) => fetch(`${server.url}/revoke`, { method: 'POST', body: new URLSearchParams({ token: server.key }) }),
};

// consent answers an authorization request as the person, and returns the address
// that the browser is sent to.
export async function consent(person, authorizationURL, answer = 'Allow') {
  const { away } = await person.press(await person.open(authorizationURL), answer);
  assert.ok(away, 'the browser is not sent back');
  return away;
}
