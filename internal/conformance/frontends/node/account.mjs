// An account of the server: its user in the browser, and its key beside the application.

import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

// signUp creates an account at the server's pages, and generates its key.
export async function signUp(page, server) {
  await page.goto(`${server}/signup?next=/account/key`);
  await page.getByLabel('E-mail address').fill(`${crypto.randomUUID()}@example.com`);
  await page.getByLabel('Name').fill('Ada');
  await page.getByLabel('Password').fill('correct horse battery');
  await page.getByRole('button', { name: 'Create an account' }).click();
  await page.getByRole('button', { name: 'Generate a key' }).click();
  return new Account(server, await page.getByLabel('Your key').inputValue());
}

// Account calls GraphQL as the account, past the application and the proxy.
class Account {
  constructor(server, key) {
    this.server = server;
    this.key = key;
  }

  async ask(query, variables) {
    const response = await fetch(`${this.server}/graphql`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${this.key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = await response.json();
    assert.equal(errors, undefined, JSON.stringify(errors));
    return data;
  }

  async createSpace(title) {
    const { createSpace: { space } } = await this.ask(
      'mutation($title: String!) { createSpace(input: {title: $title}) { space { id } } }', { title });
    return space.id;
  }

  async createEntity(spaceId, entityId) {
    const { createEntity: { entity } } = await this.ask(
      'mutation($input: CreateEntityInput!) { createEntity(input: $input) { entity { id } } }',
      { input: { spaceId, entityId, data: { position: [0, 0, 0] } } });
    return entity.id;
  }

  async moveEntity(spaceId, entityId, position) {
    await this.ask('mutation($input: UpdateEntityInput!) { updateEntity(input: $input) { entity { id } } }',
      { input: { spaceId, entityId, data: { position } } });
  }

  async deleteEntity(spaceId, entityId) {
    await this.ask('mutation($input: DeleteEntityInput!) { deleteEntity(input: $input) { deletedEntityId } }',
      { input: { spaceId, entityId } });
  }

  // entities returns the ids of the entities of a space, and their versions.
  async entities(spaceId) {
    const { space } = await this.ask(
      'query($id: ID!) { space(id: $id) { entities { nodes { entityId version } } } }', { id: spaceId });
    return Object.fromEntries(space.entities.nodes.map(({ entityId, version }) => [entityId, version]));
  }

  // awaitEntities waits until the space has these entities.
  async awaitEntities(spaceId, want) {
    while (!isDeepStrictEqual(await this.entities(spaceId), want)) await setTimeout(100);
  }

  revoke() {
    return this.ask('mutation { revokeApiKey { revoked } }');
  }
}
