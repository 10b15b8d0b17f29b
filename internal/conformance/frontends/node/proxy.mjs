// A TCP proxy between the browser and the server's GraphQL. It can hold back what the browser
// sends, and cut all connections.

import { connect, createServer } from 'node:net';

export class TCPProxy {
  #pairs = new Set();

  #held = false;

  #cut = false;

  // open returns a proxy of a server, an address such as http://127.0.0.1:8080.
  static async open(server) {
    const proxy = new TCPProxy();
    const { hostname, port } = new URL(server);
    const listener = createServer((browser) => proxy.#join(browser, connect(Number(port), hostname)));
    await new Promise((resolve) => listener.listen(0, '127.0.0.1', resolve));
    listener.unref();
    proxy.url = `http://127.0.0.1:${listener.address().port}`;
    return proxy;
  }

  #join(browser, server) {
    const pair = [browser, server];
    const end = () => {
      this.#pairs.delete(pair);
      for (const socket of pair) socket.destroy();
    };
    for (const socket of pair) socket.setNoDelay().on('error', end).on('close', end);
    if (this.#cut) return end();
    this.#pairs.add(pair);
    server.pipe(browser);
    if (!this.#held) browser.pipe(server);
  }

  // hold holds back what the browser sends from now on. What the server sends passes.
  hold() {
    this.#held = true;
    for (const [browser, server] of this.#pairs) browser.unpipe(server).pause();
  }

  // release sends what was held.
  release() {
    this.#held = false;
    for (const [browser, server] of this.#pairs) browser.pipe(server);
  }

  // cut closes all connections, and each new one until restore.
  cut() {
    this.#cut = true;
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
  }

  // restore accepts connections again.
  restore() {
    this.#cut = false;
    this.#held = false;
  }
}
