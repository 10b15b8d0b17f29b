// The waits of a client between two attempts to connect, to join, or to send.

/** The first wait, and the longest, in milliseconds. Each is twice the one before. */
const minWait = 1000;
const maxWait = 60_000;
/** How long a connection must last before the next wait is minWait again, in milliseconds. */
const healthyAfter = 60_000;

/**
 * Waits longer after each attempt. A random part of the wait lets the visitors of a server that has
 * restarted come back at different times. A connection that is lost soon does not make the next wait
 * short: a server that fails after its first response would get all visitors every second.
 */
export class Backoff {
  private wait = minWait;
  /** When the last attempt connected; 0 if it has not. */
  private connectedAt = 0;

  connected(): void {
    this.connectedAt ||= Date.now();
  }

  /** Returns how long to wait after the end of an attempt, in milliseconds. */
  next(): number {
    if (this.connectedAt > 0 && Date.now() - this.connectedAt >= healthyAfter) this.wait = minWait;
    this.connectedAt = 0;
    const wait = this.wait;
    this.wait = Math.min(2 * wait, maxWait);
    return randomPart(wait);
  }

  /** Returns the longest wait. The next ones are as long, until a connection lasts. */
  longest(): number {
    this.connectedAt = 0; // the attempt was refused, however long its connection lasted before
    this.wait = maxWait;
    return this.next();
  }
}

/** Returns a random time between half and the whole of a wait. */
function randomPart(wait: number): number {
  return (wait * (1 + Math.random())) / 2;
}
