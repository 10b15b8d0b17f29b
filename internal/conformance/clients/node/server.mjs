// The two servers that the Go test has started, and what the scripts do with them
// by plain fetch.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';

// working is a server as it is out of the box. On idle no job runs, so it stays
// queued until it is cancelled, and requests are not limited.
export const working = server(process.env.PORTICO_URL, process.env.PORTICO_KEY);
export const idle = server(process.env.PORTICO_IDLE_URL, process.env.PORTICO_IDLE_KEY);

// closed takes no new accounts, and offers an external provider.
export const closed = { url: process.env.PORTICO_CLOSED_URL };

function server(url, key) {
  return { url, key, graphql: `${url}/graphql`, socket: `${url.replace('http', 'ws')}/graphql`, authorization: `Bearer ${key}` };
}

// call calls the REST API and returns the data of its envelope.
export async function call(server, method, path, body) {
  const response = await fetch(server.url + path, {
    method,
    headers: { Authorization: server.authorization, 'Content-Type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  const envelope = await response.json();
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${JSON.stringify(envelope)}`);
  return envelope.data;
}

// ask executes a document and returns its data.
export async function ask(server, query, variables) {
  const response = await fetch(server.graphql, {
    method: 'POST',
    headers: { Authorization: server.authorization, 'Content-Type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = await response.json();
  assert.equal(errors, undefined, JSON.stringify(errors));
  return data;
}

export const readCapture = () => readFile(process.env.PORTICO_CAPTURE);

// startJob uploads the capture and returns the id of the job that extracts it.
export async function startJob(server) {
  const content = await readCapture();
  const { params } = await call(server, 'POST', '/v1/files/upload', {
    file_name: 'capture.zip', file_size: content.length, content_type: 'application/zip',
  });
  const put = await fetch(params.url, { method: params.method, headers: params.headers, body: content });
  assert.equal(put.status, 200, await put.text());
  const { job_id } = await call(server, 'POST', '/v1/files/upload-complete', {
    status: 'success', extra_info: { file_url: params.url.split('?')[0] },
  });
  return job_id;
}

// nodeID returns the id that GraphQL gives to an object with an id of REST.
export const nodeID = (type, id) => Buffer.from(`${type}:${id}`).toString('base64url');

export const followJob = 'subscription($id: ID!) { job(id: $id) { id status progress message resourceKey error } }';

export const cancelJob = (server, id) => ask(server, 'mutation($id: ID!) { cancelJob(input: {jobId: $id}) { job { id } } }', { id });

// assertFollowed checks the states of a job that ended well, as a client saw them.
export function assertFollowed(states) {
  const progress = states.map((state) => state.progress);
  assert.ok(states.length >= 2, `${progress}: one state is not progress`);
  assert.deepEqual(progress, [...progress].sort((a, b) => a - b), 'progress falls');
  const ended = states.filter((state) => state.progress === 100 || state.status === 'COMPLETED');
  assert.deepEqual(ended, states.slice(-1), `the end is not told once: ${JSON.stringify(states)}`);
  assert.equal(ended[0].status, 'COMPLETED');
  assert.match(ended[0].resourceKey, /\.lcc2$/);
}
