// Every tool of MCP, called by the official clients of both versions, which compare each structured
// result with the schema that tools/list has for it.

import assert from 'node:assert/strict';
import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { run, within } from './scenarios.mjs';
import { call, startJob, working } from './server.mjs';

const identity = { name: 'clients-test', version: '1' };
const requestInit = { headers: { Authorization: working.authorization } };
const address = new URL(`${working.url}/v1/mcp`);

// The clients by their protocols. progress are the options of a call in each version.
const clients = {
  'version 1': async () => {
    const client = new OldClient(identity);
    await client.connect(new OldTransport(address, { requestInit }));
    return { client, progress: (onprogress) => [undefined, { onprogress }] };
  },
  'version 2': async () => {
    const client = new NewClient(identity);
    await client.connect(new NewTransport(address, { requestInit }));
    return { client, progress: (onprogress) => [{ onprogress }] };
  },
  'version 2 with the newest protocol': async () => {
    const client = new NewClient(identity, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    await client.connect(new NewTransport(address, { requestInit }));
    return { client, progress: (onprogress) => [{ onprogress }] };
  },
};

// capture is a PLY of Gaussians in a ball, which has a poster within seconds.
function capture() {
  const names = ['x', 'y', 'z', 'f_dc_0', 'f_dc_1', 'f_dc_2', 'opacity', 'scale_0', 'scale_1', 'scale_2', 'rot_0', 'rot_1', 'rot_2', 'rot_3'];
  const count = 300;
  const header = `ply\nformat binary_little_endian 1.0\nelement vertex ${count}\n${names.map((name) => `property float ${name}\n`).join('')}end_header\n`;
  const rows = Buffer.alloc(count * names.length * 4);
  for (let i = 0; i < count; i += 1) {
    const [a, b] = [i * 2.4, Math.acos(1 - 2 * (i / count))];
    const row = [Math.sin(b) * Math.cos(a), Math.cos(b), Math.sin(b) * Math.sin(a), 1, 0, 0, 4, -3, -3, -3, 1, 0, 0, 0];
    row.forEach((value, at) => rows.writeFloatLE(value, (i * names.length + at) * 4));
  }
  return Buffer.concat([Buffer.from(header), rows]);
}

async function upload(content) {
  const { params } = await call(working, 'POST', '/v1/files/upload', {
    file_name: 'ball.ply', file_size: content.length, content_type: 'application/octet-stream',
  });
  const put = await fetch(params.url, { method: params.method, headers: params.headers, body: content });
  assert.equal(put.status, 200, await put.text());
  const { resource_key: key } = await call(working, 'POST', '/v1/files/upload-complete', {
    status: 'success', extra_info: { file_url: params.url.split('?')[0] },
  });
  return key;
}

// until repeats an action until its result is accepted.
async function until(accepts, act) {
  for (;;) {
    const result = await act();
    if (accepts(result)) return result;
    await new Promise((resolve) => { setTimeout(resolve, 1000); });
  }
}

async function callEveryTool(connect, files) {
  const { client, progress } = await connect();
  const listed = (await client.listTools()).tools;
  const left = new Set(listed.map(({ name }) => name));
  const use = async (name, args = {}, ...options) => {
    const result = await client.callTool({ name, arguments: args }, ...options);
    assert.ok(!result.isError, `${name}: ${JSON.stringify(result)}`);
    assert.deepEqual(JSON.parse(result.content[1].text), result.structuredContent, name);
    left.delete(name);
    return result.structuredContent;
  };

  await use('get_user_info');
  const { resource_key: scene } = await use('upload_text_file', { file_name: 'scene.json', file_text: '{"n":"<&>"}' });
  const { spaceId } = await use('create_space', { title: 'Old <mill> & barn', resource_key: scene, space_type: 'hub' });
  await use('get_space', { spaceId });
  await use('list_spaces', { limit: 5 });
  await use('update_space', { spaceId, description: 'A mill', data: { mine: [1, null] } });
  await use('update_space_privacy', { spaceId, roomPrivacy: 'Public' });

  await use('create_entity', { spaceId, entity_id: 'a', entity_data: { n: 1 } });
  const read = await use('get_entity', { spaceId, entityId: 'a' }); // the other spelling of entity_id
  assert.deepEqual([read.entity_id, read.entity_data], ['a', { n: 1 }]);
  await use('update_entity', { spaceId, entity_id: 'a', entity_data: { n: null } });
  await use('list_entities', { spaceId });
  const { lock_token: token } = await use('lock_space', { spaceId, name: 'A client' });
  const put = { path: 'space/entities/b.json', content: JSON.stringify({ id: 'b', type: 'Simple', data: { n: 2 } }) };
  await use('apply_changes', { spaceId, puts: [put], lock_token: token, dryRun: true });
  await use('apply_changes', { spaceId, puts: [put], lock_token: token });
  const newest = async () => (await use('list_versions', { spaceId })).versions[0].number;
  const first = await newest();
  const created = await use('compare_versions', { spaceId, number: first });
  assert.deepEqual([created.changes[0].before, created.changes[0].before_type], [null, null]);
  await use('delete_entity', { spaceId, entity_id: 'b', lock_token: token });
  const { changes } = await use('compare_versions', { spaceId, number: await newest() });
  assert.deepEqual([changes[0].after, changes[0].after_type], [null, null]);
  await use('name_version', { spaceId, number: first, name: 'First' });
  await use('restore_version', { spaceId, number: first, lock_token: token });
  await use('unlock_space', { spaceId, lock_token: token });
  await use('export_space', { spaceId });

  await use('list_jobs');
  let last = -1;
  const job = await use('get_job', { job_id: files.job, wait: true }, ...progress(({ progress: percent }) => { last = percent; }));
  assert.deepEqual([job.job_status, last], ['completed', 100]);
  const fresh = await use('get_file', { resource_key: scene });
  assert.equal(fresh.file_name, 'scene.json');
  await until((file) => file.poster_url, () => use('get_file', { resource_key: files.ball }));
  const shown = await use('create_space', { title: 'Ball', resource_key: files.ball });
  await use('get_space_screenshot', { spaceId: shown.spaceId });
  const converted = await use('convert_file', { resource_key: files.ball, to: 'sog', edits: [{ scale: 2 }] }, ...progress(() => {}));
  assert.equal(converted.status, 'confirmed');
  await use('delete_space', { spaceId });

  // Only a public address can be downloaded from. The result has the schema of upload_text_file.
  const refused = await client.callTool({ name: 'upload_file_from_url', arguments: { source_url: `${working.url}/scene.json` } });
  assert.match(refused.content[0].text, /^invalid: source_url must /);
  assert.deepEqual([...left], ['upload_file_from_url'], 'tools without a call that succeeded');
  const schema = (name) => listed.find((tool) => tool.name === name).outputSchema;
  assert.deepEqual(schema('upload_file_from_url'), schema('upload_text_file'));
  await client.close();
}

const files = { job: await startJob(working), ball: await upload(capture()) };
await run(Object.fromEntries(Object.entries(clients).map(([name, connect]) => (
  [`calls every tool: ${name}`, () => within(150_000, callEveryTool(connect, files))]))));
process.exit();
