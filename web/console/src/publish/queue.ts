// What outlives the page of an account's uploads, in the browser's database. A tab that shows
// an upload holds a lock with its name: when the tab is closed, the next one takes it over.

import type { FileHandle } from './drop.ts';

/** What is kept of an upload. */
export interface Kept {
  readonly id: string;
  readonly name: string;
  readonly size: number;
  readonly step: string;
  readonly fileUrl: string;
  readonly resumable: boolean;
  readonly jobId: string;
  readonly fileId: string;
  readonly spaceUrl: string;
  readonly problem: string;
  /** What the file had to be recognised by. */
  readonly mark: string;
  readonly handle: FileHandle | undefined;
}

const table = 'uploads';
const forever = new Promise<never>(() => {});

function settle<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('The database of the browser failed'));
  });
}

export class Queue {
  readonly #database: Promise<IDBDatabase>;
  /** What was last stored of each upload, to store changes only. */
  readonly #stored = new Map<string, string>();

  constructor(userId: string) {
    const request = indexedDB.open(`portico.${userId}`, 1);
    request.onupgradeneeded = () => { request.result.createObjectStore(table, { keyPath: 'id' }); };
    this.#database = settle(request);
  }

  async #table(mode: IDBTransactionMode): Promise<IDBObjectStore> {
    return (await this.#database).transaction(table, mode).objectStore(table);
  }

  /** Calls adopt with each upload of a tab that is closed, at once or when it is closed. */
  async restore(adopt: (kept: Kept) => void): Promise<void> {
    const ids = await settle((await this.#table('readonly')).getAllKeys()) as string[];
    for (const id of ids) {
      this.#own(id, async () => {
        const kept = await settle((await this.#table('readonly')).get(id)) as Kept | undefined;
        if (kept) {
          this.#stored.set(id, JSON.stringify(kept));
          adopt(kept);
        }
        return kept !== undefined;
      });
    }
  }

  /** Holds the lock of an upload from when it is free, as long as the page lives. */
  #own(id: string, take: () => Promise<boolean>): void {
    // Pages that are not served by HTTPS have no locks: there each tab shows all uploads.
    if (!('locks' in navigator)) void take();
    else void navigator.locks.request(`portico.upload.${id}`, async () => { if (await take()) await forever; });
  }

  /** Stores the uploads of this tab, and forgets those that it has no more. */
  async save(all: readonly Kept[]): Promise<void> {
    const ids = new Set(all.map(({ id }) => id));
    const gone = [...this.#stored.keys()].filter((id) => !ids.has(id));
    const changed = all.filter((kept) => this.#stored.get(kept.id) !== JSON.stringify(kept));
    for (const kept of changed) {
      if (!this.#stored.has(kept.id)) this.#own(kept.id, () => Promise.resolve(true));
      this.#stored.set(kept.id, JSON.stringify(kept));
    }
    for (const id of gone) this.#stored.delete(id);
    if (gone.length + changed.length === 0) return;
    const table = await this.#table('readwrite');
    for (const kept of changed) table.put(kept);
    for (const id of gone) table.delete(id);
  }
}
