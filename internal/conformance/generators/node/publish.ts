// Publishes a file with a generated client, and prints the address of its space.
import createClient from 'openapi-fetch';
import type { paths } from './generated/schema';
import * as orval from './generated/orval';
import { client as hey } from './generated/hey/client.gen';
import * as sdk from './generated/hey/sdk.gen';

declare global {
  var process: { env: Record<string, string>; argv: string[] };
}

const content = '{"a":1}';
const { PORTICO_URL: baseUrl, PORTICO_KEY: key } = process.env;
const headers = { Authorization: `Bearer ${key}` };
const file = { file_name: 'a.json', file_size: content.length, content_type: 'application/json' };

type Params = { url: string; method: string; headers: Record<string, string> };

// Sends the bytes, and returns the confirmation of the upload.
async function send(params: Params) {
  const response = await fetch(params.url, { method: params.method, headers: params.headers, body: content });
  if (!response.ok) throw new Error(`the bytes: ${response.status}`);
  return { status: 'success', extra_info: { file_url: params.url.split('?')[0]! } };
}

function take<T>(value: T | undefined, error: unknown): T {
  if (value === undefined) throw new Error(JSON.stringify(error));
  return value;
}

async function withOpenAPITypeScript() {
  const client = createClient<paths>({ baseUrl, headers });
  const upload = await client.POST('/files/upload', { body: file });
  const complete = await client.POST('/files/upload-complete', { body: await send(take(upload.data, upload.error).data.params) });
  const confirmed = take(complete.data, complete.error);
  if (confirmed.status !== 'confirmed') throw new Error(confirmed.status);
  const space = await client.POST('/user/create-space', { body: { resource_key: confirmed.data.resource_key } });
  return take(space.data, space.error).data.space_url;
}

async function withOrval() {
  const upload = await orval.createUpload(file, { headers: { ...headers, 'Content-Type': 'application/json' } });
  if (upload.status !== 200) throw new Error(JSON.stringify(upload.data));
  const complete = await orval.completeUpload(await send(upload.data.data.params), { headers });
  if (complete.status !== 200 || complete.data.status !== 'confirmed') throw new Error(JSON.stringify(complete.data));
  const space = await orval.createSpace({ resource_key: complete.data.data.resource_key }, { headers });
  if (space.status !== 200) throw new Error(JSON.stringify(space.data));
  return space.data.data.space_url;
}

async function withHeyAPI() {
  hey.setConfig({ baseUrl, auth: () => key });
  const upload = await sdk.createUpload({ body: file });
  const complete = await sdk.completeUpload({ body: await send(take(upload.data, upload.error).data.params) });
  const confirmed = take(complete.data, complete.error);
  if (confirmed.status !== 'confirmed') throw new Error(confirmed.status);
  const space = await sdk.createSpace({ body: { resource_key: confirmed.data.resource_key } });
  return take(space.data, space.error).data.space_url;
}

const clients: Record<string, () => Promise<string>> = {
  'openapi-typescript': withOpenAPITypeScript, orval: withOrval, 'hey-api': withHeyAPI,
};
console.log(await clients[process.argv[2]!]!());
