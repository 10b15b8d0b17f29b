// npm oauth4webapi, a client that checks what the standards say of every answer.

import assert from 'node:assert/strict';
import * as oauth from 'oauth4webapi';

import { consent, newcomer, signInAgain } from './people.mjs';
import { run } from './scenarios.mjs';
import { idle } from './server.mjs';

const redirectURI = 'http://127.0.0.1:49152/callback';

// The servers of tests speak HTTP.
const plain = { [oauth.allowInsecureRequests]: true };

async function discover(issuer) {
  const url = new URL(issuer);
  const response = await oauth.discoveryRequest(url, { ...plain, algorithm: 'oauth2' });
  return oauth.processDiscoveryResponse(url, response);
}

async function register(server) {
  const response = await oauth.dynamicClientRegistrationRequest(server, {
    client_name: 'Uploader', redirect_uris: [redirectURI], grant_types: ['authorization_code'],
    response_types: ['code'], token_endpoint_auth_method: 'none',
  }, plain);
  return oauth.processDynamicClientRegistrationResponse(response);
}

// ask prepares an authorization request.
async function ask(server, client) {
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const url = new URL(server.authorization_endpoint);
  url.search = new URLSearchParams({
    client_id: client.client_id, redirect_uri: redirectURI, response_type: 'code', state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256',
  });
  return { url, verifier, state };
}

async function exchange(server, client, asked, callback) {
  const parameters = oauth.validateAuthResponse(server, client, callback, asked.state);
  const response = await oauth.authorizationCodeGrantRequest(
    server, client, oauth.None(), parameters, redirectURI, asked.verifier, plain,
  );
  return oauth.processAuthorizationCodeResponse(server, client, response);
}

// signIn goes the whole way and returns the token.
async function signIn(server, client, person) {
  const asked = await ask(server, client);
  return exchange(server, client, asked, await consent(person, asked.url));
}

const me = (key) => oauth.protectedResourceRequest(key, 'GET', new URL(`${idle.url}/v1/user/me`), undefined, undefined, plain);

const viewer = (key) => oauth.protectedResourceRequest(key, 'POST', new URL(idle.graphql),
  new Headers({ 'Content-Type': 'application/json' }), JSON.stringify({ query: '{ viewer { email } }' }), plain);

// begin returns a server, a client of it and somebody who can sign in.
async function begin(issuer) {
  const server = await discover(issuer);
  return { server, client: await register(server), person: await newcomer(idle) };
}

// assertLedBack checks that a request with a key that has ended is refused in a way
// that leads to the metadata of the resource, and from there to the server that gives
// keys for it.
async function assertLedBack(request, resource) {
  const error = await request.then(() => assert.fail('the request is not refused'), (thrown) => thrown);
  assert.ok(error instanceof oauth.WWWAuthenticateChallengeError, error);
  const [{ scheme, parameters }] = error.cause;
  assert.deepEqual([error.status, scheme, parameters.error], [401, 'bearer', 'invalid_token']);
  const expected = new URL(resource);
  const response = await oauth.resourceDiscoveryRequest(expected, plain);
  assert.equal(response.url, parameters.resource_metadata);
  const { authorization_servers: servers } = await oauth.processResourceDiscoveryResponse(expected, response);
  assert.equal((await discover(servers[0])).issuer, idle.url);
}

// wholeWay signs a user in, uses the key at both doors, and signs out.
async function wholeWay(issuer) {
  const { server, client, person } = await begin(issuer);
  assert.equal(server.issuer, issuer);
  const token = await signIn(server, client, person);
  assert.deepEqual(Object.keys(token).sort(), ['access_token', 'token_type']);
  const key = token.access_token;
  const { data } = await (await me(key)).json();
  assert.equal(data.email, person.email);
  assert.deepEqual(await (await viewer(key)).json(), { data: { viewer: { email: person.email } } });
  assert.equal((await signIn(server, client, person)).access_token, key, 'the second sign-in brings another key');

  await oauth.processRevocationResponse(await oauth.revocationRequest(server, client, oauth.None(), key, plain));
  await assertLedBack(me(key), `${idle.url}/v1`);
  await assertLedBack(viewer(key), idle.graphql);
  await signInAgain(person); // the revocation has ended all sessions too
  assert.notEqual((await signIn(server, client, person)).access_token, key, 'the revoked key came again');
}

const isError = (error) => (thrown) => {
  assert.equal(thrown.error, error, thrown);
  return true;
};

await run({
  'signs a user in and out at the root': () => wholeWay(idle.url),

  'signs a user in and out below /api': () => wholeWay(`${idle.url}/api`),

  'learns that the user has refused': async () => {
    const { server, client, person } = await begin(idle.url);
    const asked = await ask(server, client);
    const callback = await consent(person, asked.url, 'Cancel');
    assert.throws(() => oauth.validateAuthResponse(server, client, callback, asked.state), isError('access_denied'));
  },

  'gets no second key for a code': async () => {
    const { server, client, person } = await begin(idle.url);
    const asked = await ask(server, client);
    const callback = await consent(person, asked.url);
    await exchange(server, client, asked, callback);
    await assert.rejects(exchange(server, client, asked, callback), isError('invalid_grant'));
  },

  'gets no key with another verifier': async () => {
    const { server, client, person } = await begin(idle.url);
    const asked = await ask(server, client);
    const callback = await consent(person, asked.url);
    const verifier = oauth.generateRandomCodeVerifier();
    await assert.rejects(exchange(server, client, { ...asked, verifier }, callback), isError('invalid_grant'));
  },

  'gets no key as another client': async () => {
    const { server, client, person } = await begin(idle.url);
    const asked = await ask(server, client);
    const callback = await consent(person, asked.url);
    await assert.rejects(exchange(server, await register(server), asked, callback), isError('invalid_grant'));
  },

  'takes no answer of another server for its own': async () => {
    const { server, client, person } = await begin(idle.url);
    const asked = await ask(server, client);
    const callback = await consent(person, asked.url);
    const other = await discover(`${idle.url}/api`);
    assert.throws(() => oauth.validateAuthResponse(other, client, callback, asked.state), /issuer/);
  },
});
process.exit();
