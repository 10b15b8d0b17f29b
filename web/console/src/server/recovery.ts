// The wait of the page after it has lost its connection by a fault, or cannot connect. All
// subscriptions share it and come back together, because each relies on the first events of the
// others for what it missed.

/** The first wait, and the longest, in milliseconds. The wait doubles with each fault. */
const minWait = 3000;
const maxWait = 60_000;
/** How long a connection must last before the next wait is minWait again, in milliseconds. */
const healthyAfter = 60_000;

export class Recovery {
  #wait = minWait;
  #waiting = new Set<() => void>();
  #waitTimer = 0;
  #healthyTimer = 0;

  /** Calls run at once, or at the end of the wait if the page waits. It returns a function that cancels. */
  start(run: () => void): () => void {
    if (this.#waitTimer) return this.wait(run);
    run();
    return () => {};
  }

  /**
   * Calls run at the end of the wait, which starts unless the page waits already. A random part of
   * it lets the pages of a server that has restarted come back at different times. It returns a
   * function that cancels.
   */
  wait(run: () => void): () => void {
    this.#waiting.add(run);
    if (!this.#waitTimer) {
      this.#waitTimer = setTimeout(
        () => {
          this.#end();
        },
        (this.#wait * (1 + Math.random())) / 2,
      );
      this.#wait = Math.min(maxWait, 2 * this.#wait);
    }
    return () => {
      this.#waiting.delete(run);
    };
  }

  #end(): void {
    this.#waitTimer = 0;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const run of waiting) run();
  }

  /** A connection that lasts makes the next wait short again. */
  connected(): void {
    clearTimeout(this.#healthyTimer);
    this.#healthyTimer = setTimeout(() => {
      this.#wait = minWait;
    }, healthyAfter);
  }

  closed(): void {
    clearTimeout(this.#healthyTimer);
  }
}
