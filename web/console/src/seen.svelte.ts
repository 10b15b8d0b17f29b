// Which notifications the person has seen in this browser.

class Seen {
  #key = $state('');
  /** When the newest notification that the person has seen was created; '' before the first. */
  #until = $state('');

  constructor() {
    addEventListener('storage', ({ key, newValue }) => {
      if (key === this.#key) this.#until = newValue ?? '';
    });
  }

  /** Reads what the person with this account has seen. */
  restore(userId: string): void {
    this.#key = `portico.seen.${userId}`;
    this.#until = localStorage.getItem(this.#key) ?? '';
  }

  /** Returns how many of the notifications the person has not seen. */
  unread(notifications: readonly { createdAt: string }[]): number {
    return this.#key ? notifications.filter(({ createdAt }) => createdAt > this.#until).length : 0;
  }

  /** Marks the newest notification, and all before it, as seen. */
  mark(newest: { createdAt: string } | undefined): void {
    if (!this.#key || !newest || newest.createdAt <= this.#until || document.visibilityState !== 'visible') return;
    this.#until = newest.createdAt;
    localStorage.setItem(this.#key, this.#until);
  }
}

export const seen = new Seen();
