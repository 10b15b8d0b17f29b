// The lock of a space: another editor holds it for a while.

import type { SpaceLock } from '../server/space.ts';
import type { EditMessages } from './messages.ts';

/** The longest wait of a browser's timer, in milliseconds. */
const longestTimer = 2 ** 31 - 1;

/** Knows who holds the space. A lock ends by itself, which the server does not report. */
export class Lock {
  private readonly changed: () => void;
  private lock: SpaceLock | null = null;
  private timer = 0;

  constructor(changed: () => void) {
    this.changed = changed;
  }

  /** Who holds the space now; null for nobody. */
  get held(): SpaceLock | null {
    return this.lock && Date.parse(this.lock.until) > Date.now() ? this.lock : null;
  }

  /** Says who holds the space and until when; empty for nobody. */
  inWords(messages: EditMessages, language: string): string {
    if (!this.held) return '';
    const until = new Date(this.held.until).toLocaleTimeString(language, { hour: '2-digit', minute: '2-digit' });
    return messages('heldBy', { name: this.held.name, until });
  }

  set(lock: SpaceLock | null): void {
    window.clearTimeout(this.timer);
    this.lock = lock;
    if (this.held) {
      const left = Date.parse(this.held.until) - Date.now();
      this.timer = window.setTimeout(() => this.set(lock), Math.min(left + 1, longestTimer));
    }
    this.changed();
  }

  destroy(): void {
    window.clearTimeout(this.timer);
  }
}
