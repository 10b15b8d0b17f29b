// The scenarios of a page: what a trainer of splats does in the browser of its
// user, with the key that the user has pasted.

import { createClient as createEventClient } from '/node_modules/graphql-sse/lib/client.mjs';
import { createClient as createSocketClient } from '/node_modules/graphql-ws/dist/client.js';

function equal(got, want, what) {
  if (JSON.stringify(got) !== JSON.stringify(want)) {
    throw new Error(`${what}: got ${JSON.stringify(got)}, want ${JSON.stringify(want)}`);
  }
}

// call calls the REST API. A header of Authorization and a JSON body each take a
// preflight.
async function call(server, method, path, body, key = server.key) {
  const response = await fetch(server.url + path, {
    method,
    headers: { 'Content-Type': 'application/json', ...(key && { Authorization: `Bearer ${key}` }) },
    body: body && JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

async function dataOf(...request) {
  const { status, body } = await call(...request);
  if (status >= 400) throw new Error(`${request[1]} ${request[2]}: ${status} ${body.message}`);
  return body.data;
}

// put sends a file as pages do that show how far it is: fetch cannot tell. Once
// someone listens to the upload it takes a preflight.
function put(url, headers, file) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const progress = [];
    request.open('PUT', url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => progress.push([loaded, total]);
    request.onload = () => resolve({ status: request.status, text: request.responseText, progress });
    request.onerror = () => reject(new Error('PUT: the page may not read the answer'));
    request.send(file);
  });
}

// upload sends a file and returns its address without the query.
async function upload(server, name, file) {
  const { params } = await dataOf(server, 'POST', '/v1/files/upload', {
    file_name: name, file_size: file.size, content_type: file.type,
  });
  const sent = await put(params.url, params.headers, file);
  equal(sent.status, 200, `PUT ${sent.text}`);
  equal(sent.progress.at(-1), [file.size, file.size], 'progress of the upload');
  return params.url.split('?')[0];
}

const confirm = (server, address) => dataOf(server, 'POST', '/v1/files/upload-complete', {
  status: 'success', extra_info: { file_url: address },
});

async function startJob(server) {
  const capture = await (await fetch('/capture.zip')).blob();
  return confirm(server, await upload(server, 'capture.zip', capture));
}

// poll polls a job to its end.
async function poll(server, path) {
  for (let last = 0; ;) {
    const job = await dataOf(server, 'GET', path);
    if (job.progress < last) throw new Error(`progress falls: ${job.progress} after ${last}`);
    last = job.progress;
    if (['completed', 'failed'].includes(job.job_status)) return job;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

const followJob = 'subscription($id: ID!) { job(id: $id) { status progress resourceKey } }';

async function follow(client, id) {
  const states = [];
  for await (const { data } of client.iterate({ query: followJob, variables: { id } })) states.push(data.job);
  const progress = states.map((state) => state.progress);
  equal(progress, [...progress].sort((a, b) => a - b), 'progress');
  equal([states.at(-1).status, states.at(-1).progress], ['COMPLETED', 100], 'the end');
}

export const scenarios = {
  'uploads a capture, polls its job and makes a space of it': async ({ working }) => {
    const job = await poll(working, (await startJob(working)).poll_url);
    equal([job.job_status, job.progress], ['completed', 100], 'the job');
    const space = await dataOf(working, 'POST', '/v1/user/create-space', {
      title: 'Scan', resource_key: job.result.resource_key,
    });
    const path = `/v1/spaces/${space.space_url.split('/').at(-1)}`;
    const { entities } = await dataOf(working, 'GET', `${path}/entities`);
    equal(entities.map((entity) => entity.entity_type), ['UserModelEntity'], 'entities');
    const found = await fetch(job.result.url);
    equal([found.status, (await found.json()).name], [200, 'capture'], 'the manifest');
    await dataOf(working, 'PUT', path, { title: 'Hall' });
    await dataOf(working, 'DELETE', path);
  },

  'reads why it is refused': async ({ working }) => {
    for (const key of ['', 'none']) {
      const { status, headers, body } = await call(working, 'GET', '/v1/user/me', undefined, key);
      equal([status, body.status], [401, 'error'], 'the answer');
      if (!/^Bearer .*resource_metadata=/.test(headers.get('WWW-Authenticate'))) {
        throw new Error(`WWW-Authenticate: got ${headers.get('WWW-Authenticate')}`);
      }
    }
    const missing = await call(working, 'GET', '/v1/jobs/none');
    equal([missing.status, missing.body.message], [404, 'Job not found'], 'a job that is not there');
    const malformed = await call(working, 'POST', '/v1/files/upload', {});
    equal(malformed.status, 400, 'an upload without its fields');
  },

  'reads why an upload is refused': async ({ working }) => {
    const file = new Blob(['{}'], { type: 'application/json' });
    const { params } = await dataOf(working, 'POST', '/v1/files/upload', {
      file_name: 'scene.json', file_size: file.size, content_type: file.type,
    });
    const forged = await put(`${params.url}0`, params.headers, file);
    equal([forged.status, JSON.parse(forged.text).status], [403, 'error'], 'a signature that is not ours');
  },

  'loads a public file, whole, in part and not at all': async ({ working }) => {
    const address = await upload(working, 'scene.json', new Blob(['{"n":123}'], { type: 'application/json' }));
    const { url } = await confirm(working, address);
    for (const place of [address, url]) {
      const whole = await fetch(place);
      equal([whole.status, await whole.text()], [200, '{"n":123}'], `GET ${place}`);
      const part = await fetch(place, { headers: { Range: 'bytes=5-7' } });
      equal([part.status, part.headers.get('Content-Range'), await part.text()], [206, 'bytes 5-7/9', '123'], 'a range');
      const same = await fetch(place, { cache: 'no-store', headers: { 'If-None-Match': whole.headers.get('ETag') } });
      equal(same.status, 304, 'the file that the page has');
      const head = await fetch(place, { method: 'HEAD', cache: 'no-store' });
      equal(head.headers.get('Content-Length'), '9', 'HEAD');
      const beyond = await fetch(place, { cache: 'no-store', headers: { Range: 'bytes=99-' } });
      equal([beyond.status, beyond.headers.get('Content-Range')], [416, 'bytes */9'], 'a range beyond the end');
    }
    equal((await fetch(`${url}.none`)).status, 404, 'a file that is not there');
  },

  'asks GraphQL': async ({ working }) => {
    const { status, body } = await call(working, 'POST', '/graphql', { query: '{ viewer { email } }' });
    equal([status, body], [200, { data: { viewer: { email: 'browser@example.com' } } }], 'viewer');
    const refused = await call(working, 'POST', '/graphql', { query: '{ viewer { email } }' }, 'none');
    equal([refused.status, refused.body.errors[0].extensions.code], [401, 'UNAUTHENTICATED'], 'a bad key');
  },

  'follows a job by WebSocket': async ({ working }) => {
    const client = createSocketClient({ url: working.socket, connectionParams: { Authorization: `Bearer ${working.key}` } });
    await follow(client, (await startJob(working)).job_id);
  },

  'learns that its key is bad from the WebSocket': ({ working }) => new Promise((resolve, reject) => {
    const socket = new WebSocket(working.socket, 'graphql-transport-ws');
    socket.onopen = () => socket.send('{"type":"connection_init","payload":{"Authorization":"Bearer none"}}');
    socket.onclose = ({ code, reason, wasClean }) => {
      try {
        resolve(equal([code, reason, wasClean], [4401, 'Unauthorized', true], 'the end'));
      } catch (error) {
        reject(error);
      }
    };
  }),

  'follows a job by server-sent events': async ({ working }) => {
    const client = createEventClient({ url: working.graphql, headers: { Authorization: `Bearer ${working.key}` } });
    await follow(client, (await startJob(working)).job_id);
  },

  'EventSource fires complete': ({ working }) => new Promise((resolve, reject) => {
    // It can send no key, and is told so.
    const query = encodeURIComponent('subscription { job(id: "none") { id } }');
    const source = new EventSource(`${working.graphql}?query=${query}`);
    const codes = [];
    source.addEventListener('next', ({ data }) => codes.push(JSON.parse(data).errors[0].extensions.code));
    source.addEventListener('complete', ({ data }) => {
      source.close();
      try {
        resolve(equal([codes, data], [['UNAUTHENTICATED'], ''], 'the events'));
      } catch (error) {
        reject(error);
      }
    });
    source.onerror = () => reject(new Error('the stream broke off'));
  }),
};

// last are the scenarios after which the key is good for nothing, for a minute.
export const last = {
  'reads when to come back': async ({ working }) => {
    // Two windows at most.
    for (let n = 0; n <= 40; n++) {
      const { status, headers, body } = await call(working, 'POST', '/v1/files/upload', {
        file_name: 'scene.json', file_size: 2, content_type: 'application/json',
      });
      if (status === 200) continue;
      equal([status, body.retry_after_seconds], [429, Number(headers.get('Retry-After'))], 'the refusal');
      if (body.retry_after_seconds < 1 || body.retry_after_seconds > 60) throw new Error(`got ${body.retry_after_seconds} s`);
      return;
    }
    throw new Error('no request was refused');
  },
};
