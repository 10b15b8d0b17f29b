// The Client of npm @modelcontextprotocol/sdk, which finds the sign-in by itself.

import assert from 'node:assert/strict';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { consent, newcomer } from './people.mjs';
import { run } from './scenarios.mjs';
import { call, idle } from './server.mjs';

// Provider is an OAuthClientProvider that keeps everything in memory, and leaves the
// address that it should open in asked.
class Provider {
  redirectUrl = 'http://localhost:49152/callback';

  clientMetadata = {
    client_name: 'An agent', redirect_uris: [this.redirectUrl], token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'],
  };

  asked = [];

  state() {
    return 'the state';
  }

  clientInformation() {
    return this.client;
  }

  saveClientInformation(client) {
    this.client = client;
  }

  tokens() {
    return this.saved;
  }

  saveTokens(tokens) {
    this.saved = tokens;
  }

  redirectToAuthorization(url) {
    this.asked.push(url);
  }

  saveCodeVerifier(verifier) {
    this.verifier = verifier;
  }

  codeVerifier() {
    return this.verifier;
  }

  invalidateCredentials(scope) {
    if (scope === 'all') this.client = undefined;
    this.saved = undefined;
  }
}

const transportTo = (path, authProvider, more) => (
  new StreamableHTTPClientTransport(new URL(idle.url + path), { authProvider, ...more }));

// connect returns a client that is at rest: once connected it asks for a stream by
// itself, and would ask its user if the key had ended by then.
async function connect(path, provider) {
  const client = new Client({ name: 'clients-test', version: '1' });
  let rest;
  const atRest = new Promise((resolve) => { rest = resolve; });
  const watched = async (url, init) => {
    const response = await fetch(url, init);
    if (init?.method === 'GET' && response.status === 405) rest(); // there is no such stream
    return response;
  };
  await client.connect(transportTo(path, provider, { fetch: watched }));
  await atRest;
  return client;
}

// signIn connects, is refused, and lets the person agree.
async function signIn(path, provider, person) {
  const transport = transportTo(path, provider);
  const refused = new Client({ name: 'clients-test', version: '1' });
  await assert.rejects(refused.connect(transport), UnauthorizedError);
  const callback = (await consent(person, provider.asked.at(-1))).searchParams;
  assert.equal(callback.get('state'), 'the state');
  await transport.finishAuth(callback.get('code'));
}

// use calls a tool and returns its structured result.
async function use(client, name, parameters) {
  const result = await client.callTool({ name, arguments: parameters });
  assert.ok(!result.isError, JSON.stringify(result));
  return result.structuredContent;
}

// publish does what agents are for, and looks for it by REST.
async function publish(client, server) {
  const file = await use(client, 'upload_text_file', { file_name: 'scene.json', file_text: '{"n":1}' });
  assert.equal(file.status, 'confirmed');
  const { spaceId } = await use(client, 'create_space', { title: 'Old mill' });
  const { entity_id: entity, created } = await use(client, 'create_entity', {
    spaceId, resource_key: file.resource_key, entity_data: { position: [1, 2, 3] },
  });
  assert.equal(created, true);
  assert.equal((await call(server, 'GET', `/v1/spaces/${spaceId}`)).title, 'Old mill');
  const found = await call(server, 'GET', `/v1/spaces/${spaceId}/entities/${entity}`);
  assert.deepEqual([found.entity_data.glbUrl, found.entity_data.position], [file.url, [1, 2, 3]]);
}

const tools = [
  'apply_changes', 'create_entity', 'create_space', 'delete_entity', 'delete_space', 'export_space', 'get_entity', 'get_job', 'get_space', 'get_user_info',
  'list_entities', 'list_jobs', 'list_spaces', 'update_entity', 'update_space', 'update_space_privacy',
  'upload_file_from_url', 'upload_text_file',
];

async function wholeWay(path) {
  const provider = new Provider();
  const person = await newcomer(idle);
  await signIn(path, provider, person);
  const client = await connect(path, provider);
  const names = (await client.listTools()).tools.map(({ name }) => name);
  for (const tool of tools) assert.ok(names.includes(tool), `no ${tool} in ${names}`);
  await publish(client, { ...idle, authorization: `Bearer ${provider.saved.access_token}` });
  assert.equal((await use(client, 'get_user_info', {})).email, person.email);
  await client.close();
}

await run({
  'signs in and publishes': () => wholeWay('/v1/mcp'),

  'signs in and publishes below /api': () => wholeWay('/api/v1/mcp'),

  'asks its user again when the key is revoked': async () => {
    const provider = new Provider();
    const person = await newcomer(idle);
    await signIn('/v1/mcp', provider, person);
    const client = await connect('/v1/mcp', provider);
    await person.press(await person.open('/account/key'), 'Revoke the key');
    await assert.rejects(client.callTool({ name: 'list_spaces' }), UnauthorizedError);
    assert.equal(provider.asked.length, 2);
    const { access_token: revoked } = provider.saved;
    await signIn('/v1/mcp', provider, person);
    assert.notEqual(provider.saved.access_token, revoked);
    await (await connect('/v1/mcp', provider)).close();
  },

  'registers anew where its registration is lost': async () => {
    const provider = new Provider();
    const person = await newcomer(idle);
    await signIn('/v1/mcp', provider, person);
    const { client_id: lost } = provider.client;
    // The token endpoint answers invalid_client, and the client begins once more.
    provider.client = { ...provider.client, client_id: 'lost' };
    await assert.rejects(transportTo('/v1/mcp', provider).finishAuth('code'), /client information is required/);
    await signIn('/v1/mcp', provider, person);
    assert.ok(provider.client.client_id !== lost && provider.client.client_id !== 'lost');
  },

  'connects with a key alone': async () => {
    const transport = new StreamableHTTPClientTransport(new URL(`${idle.url}/v1/mcp`), {
      requestInit: { headers: { Authorization: idle.authorization } },
    });
    const client = new Client({ name: 'clients-test', version: '1' });
    await client.connect(transport);
    await publish(client, idle);
    await client.close();
  },
});
process.exit();
