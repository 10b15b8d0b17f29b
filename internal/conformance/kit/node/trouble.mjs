// What connections, proxies and impatient people do to uploads and subscriptions.

import assert from 'node:assert/strict';
import { createServer, request as forward } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { graphql, Portico, PorticoError } from './examples/node_modules/@portico/client/dist/index.js';

const { PORTICO_URL: url, PORTICO_KEY: key } = process.env;
const server = new URL(url);
const portico = new Portico({ url, key });
const storage = graphql('{ viewer { storage { used promised } } }');
const promised = async () => (await portico.run(storage)).viewer.storage.promised;
const large = new File([new Uint8Array(40 << 20).fill(7)], 'noise.bin');

/** Starts a proxy, which lets a function decide about each request: it returns true if it has dealt with it. */
async function proxy(decide) {
  const listener = createServer((incoming, response) => {
    if (decide(incoming, response)) return;
    const headers = { ...incoming.headers, host: server.host };
    const { method, url: path } = incoming;
    const outgoing = forward({ hostname: server.hostname, port: server.port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    incoming.on('error', () => outgoing.destroy()).pipe(outgoing);
    response.on('close', () => outgoing.destroy());
  });
  await new Promise((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${listener.address().port}`, close: () => (listener.closeAllConnections(), listener.close()) };
}

const trials = {
  async 'an upload whose connections are cut continues, and sends no byte twice'() {
    let cuts = 0;
    const cutting = await proxy((incoming) => {
      if (incoming.method !== 'PATCH' || cuts >= 3) return false;
      let seen = 0;
      incoming.on('data', (bytes) => {
        seen += bytes.length;
        if (seen > 3 << 20 && cuts < 3) cuts += incoming.socket.destroyed ? 0 : (incoming.socket.destroy(), 1);
      });
      return false;
    });
    const sent = [];
    const file = await new Portico({ url: cutting.url, key }).upload(large, {
      onProgress: (progress) => progress.step === 'sending' && sent.push(progress.sent),
    });
    assert.equal(file.size, large.size);
    assert.equal(cuts, 3);
    assert.equal(Math.max(...sent), large.size);
    assert.ok(sent.length > 10, `progress in ${sent.length} steps`);
    cutting.close();
  },

  async 'a proxy that refuses large requests gets smaller ones'() {
    const limit = 8 << 20;
    let refused = 0;
    const small = await proxy((incoming, response) => {
      if (Number(incoming.headers['content-length'] ?? 0) <= limit) return false;
      refused += 1;
      response.writeHead(413, { 'Content-Type': 'text/html', Connection: 'close' }).end('<html>Request Entity Too Large</html>');
      return true;
    });
    assert.equal((await new Portico({ url: small.url, key }).upload(large)).size, large.size);
    assert.ok(refused > 0);
    small.close();
  },

  async 'an upload that is cancelled frees its storage, and one that was interrupted continues elsewhere'() {
    const cancel = new AbortController();
    const options = { signal: cancel.signal, onProgress: ({ sent }) => sent > 0 && cancel.abort(new Error('changed my mind')) };
    await assert.rejects(portico.upload(large, options), { message: 'changed my mind' });
    assert.ok((await promised()) < large.size, 'the storage is free');
    // A process that ends leaves its upload on the server: another one continues it.
    let resume = '';
    let atStart = -1;
    const sockets = new Set();
    const gone = await proxy(({ socket }) => {
      sockets.add(socket);
      if (resume) socket.destroy();
      return resume !== '';
    });
    const lost = new AbortController();
    const ended = new Promise((resolve) => {
      void new Portico({ url: gone.url, key }).upload(large, {
        signal: lost.signal,
        onProgress: (progress) => {
          if (progress.sent > 30 << 20 && !resume) {
            ({ resume } = progress);
            for (const socket of sockets) socket.destroy();
            resolve();
          }
        },
      }).catch(() => {});
    });
    await ended;
    const file = await portico.upload(large, {
      resume,
      onProgress: ({ sent }) => {
        if (atStart < 0) atStart = sent;
      },
    });
    assert.equal(file.size, large.size);
    assert.ok(atStart > 0, 'it does not start from 0');
    lost.abort();
    gone.close();
  },

  async 'an address that nobody listens on fails at once'() {
    const started = Date.now();
    await assert.rejects(new Portico({ url: 'http://127.0.0.1:1', key }).upload(new File(['1'], 'a.json')), (error) => {
      assert.ok(error instanceof PorticoError && error.isTemporary);
      assert.deepEqual([error.code, error.parameters.status], ['NETWORK', 0]);
      return true;
    });
    assert.ok(Date.now() - started < 5000);
  },

  async 'errors have the code and the parameters of the server'() {
    const stranger = new Portico({ url, key: 'portico_wrong' });
    await assert.rejects(stranger.createSpace({}), { code: 'UNAUTHENTICATED' });
    await assert.rejects(stranger.watchJob('x').next(), { code: 'UNAUTHENTICATED' });
    await assert.rejects(stranger.upload(new File(['1'], 'a.json')), { code: 'UNAUTHENTICATED' });
    await assert.rejects(portico.space('none'), { code: 'NOT_FOUND' });
    await assert.rejects(portico.createSpace({ title: 'x'.repeat(10_000) }), ({ code, parameters }) => code === 'INVALID' && parameters.field?.at(-1) === 'title');
    await assert.rejects(portico.upload(new File(['1'], 'a.exe')), { code: 'INVALID' });
    await assert.rejects(portico.upload(new File([new Uint8Array(9)], 'broken.zip')), ({ code, parameters }) => code === 'JOB_FAILED' && parameters.jobId !== '');
    const page = await proxy((_, response) => !!response.writeHead(502, { 'Content-Type': 'text/html' }).end('<html>Bad Gateway</html>'));
    await assert.rejects(new Portico({ url: page.url, key }).createSpace({}), ({ code, parameters }) => code === 'NETWORK' && parameters.status === 502);
    page.close();
  },

  async 'a subscription whose connection is cut begins again with the present state'() {
    const sockets = new Set();
    const cutting = await proxy((incoming) => {
      sockets.add(incoming.socket);
      return false;
    });
    const through = new Portico({ url: cutting.url, key });
    const space = await portico.createSpace({ title: 'First' });
    const titles = [];
    for await (const change of through.watchSpace(space.id)) {
      if (change.__typename !== 'SpaceSnapshot') continue;
      titles.push(change.space.title);
      if (titles.length === 2) break;
      await portico.updateSpace({ spaceId: space.id, title: 'Second' });
      for (const socket of sockets) socket.destroy();
    }
    assert.deepEqual(titles, ['First', 'Second']);
    await portico.deleteSpace(space.id);
    cutting.close();
  },

  async 'a subscription that is aborted ends at once, with the reason'() {
    const space = await portico.createSpace({ title: 'Aborted' });
    const stop = new AbortController();
    const watch = async () => {
      for await (const change of portico.watchSpace(space.id, { signal: stop.signal })) if (change) void pause(50).then(() => stop.abort(new Error('enough')));
    };
    await assert.rejects(watch(), { message: 'enough' });
    await portico.deleteSpace(space.id);
  },

  async 'equal queries at the same time do not cancel each other'() {
    const stop = new AbortController();
    const [first, second] = [portico.run(storage, {}, { signal: stop.signal }), portico.run(storage)];
    stop.abort(new Error('only mine'));
    await assert.rejects(first, { message: 'only mine' });
    assert.ok((await second).viewer);
  },

  async 'a server renders a page with the element, which is for browsers'() {
    await import('./examples/node_modules/@portico/client/dist/embed.js');
  },
};

for (const [name, trial] of Object.entries(trials)) {
  const started = Date.now();
  try {
    await trial();
  } catch (error) {
    console.error(`FAILED: ${name}\n`, error);
    process.exitCode = 1;
  }
  console.log(`${name}: ${Date.now() - started} ms`);
}
