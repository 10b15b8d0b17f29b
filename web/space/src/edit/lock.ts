// The lock of a space: another editor holds it for a while.

import { serverTime } from '../server/graphql.ts';
import type { SpaceLock } from '../server/space.ts';
import type { EditMessages } from './messages.ts';

/** Tracks which editor holds the space. The server does not report the end of a lock, so a timer does. */
export class Lock {
  private readonly changed: () => void;
  private lock: SpaceLock | null = null;
  /** When the lock ends by the browser's clock, in milliseconds since 1970. */
  private end = 0;
  private timer = 0;

  constructor(changed: () => void) {
    this.changed = changed;
  }

  /** Who holds the space now; null for nobody. */
  get held(): SpaceLock | null {
    return this.end > Date.now() ? this.lock : null;
  }

  /** Returns a sentence with who holds the space and until when; empty for nobody. */
  describe(messages: EditMessages, language: string): string {
    if (!this.held) return '';
    const until = new Date(this.end).toLocaleTimeString(language, { hour: '2-digit', minute: '2-digit' });
    return messages('heldBy', { name: this.held.name, until });
  }

  /** Takes over the lock that the server reports; null for none. */
  set(lock: SpaceLock | null): void {
    window.clearTimeout(this.timer);
    this.lock = lock;
    this.end = lock ? Date.now() + Date.parse(lock.until) - serverTime() : 0;
    if (this.held) this.timer = window.setTimeout(() => this.set(null), this.end - Date.now());
    this.changed();
  }

  destroy(): void {
    window.clearTimeout(this.timer);
  }
}
