// The line between the browser and the server's GraphQL: a proxy of TCP, which can hold
// back what the browser sends, and break.

import { connect, createServer } from 'node:net';

export class Line {
  #pairs = new Set();

  #held = false;

  #cut = false;

  // open returns a line to a server, an address such as http://127.0.0.1:8080.
  static async open(server) {
    const line = new Line();
    const { hostname, port } = new URL(server);
    const proxy = createServer((browser) => line.#join(browser, connect(Number(port), hostname)));
    await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    proxy.unref();
    line.url = `http://127.0.0.1:${proxy.address().port}`;
    return line;
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

  // hold keeps back all that the browser sends from now on. What the server sends passes.
  hold() {
    this.#held = true;
    for (const [browser, server] of this.#pairs) browser.unpipe(server).pause();
  }

  // release sends what was held.
  release() {
    this.#held = false;
    for (const [browser, server] of this.#pairs) browser.pipe(server);
  }

  // cut closes all connections, and each new one until mend.
  cut() {
    this.#cut = true;
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
  }

  mend() {
    this.#cut = false;
    this.#held = false;
  }
}
