// The uploads of an account in the browser's database, so that they survive the page. A tab that shows
// an upload holds a lock with its id: when the tab is closed, the next tab takes the upload over.

import type { FileHandle } from './drop.ts';

export interface StoredUpload {
  readonly id: string;
  readonly name: string;
  readonly size: number;
  readonly step: string;
  readonly fileUrl: string;
  readonly resumable: boolean;
  readonly sent: boolean;
  readonly jobId: string;
  readonly fileId: string;
  readonly spaceUrl: string;
  readonly problem: string;
  readonly status: number;
  /** Identifies the content, so that the file is recognised when it is chosen again. */
  readonly fingerprint: string;
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

/** Waits until the transaction has stored its changes. */
function complete(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new Error('The database of the browser stored nothing'));
  });
}

export class UploadStore {
  readonly #database: Promise<IDBDatabase>;
  /** The JSON that was last stored of each upload, so that only changes are stored; empty after a failure. */
  readonly #stored = new Map<string, string>();

  constructor(userId: string) {
    const request = indexedDB.open(`portico.${userId}`, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore(table, { keyPath: 'id' });
    };
    this.#database = settle(request);
  }

  async #table(mode: IDBTransactionMode): Promise<IDBObjectStore> {
    return (await this.#database).transaction(table, mode).objectStore(table);
  }

  /** Calls adopt with each upload of a closed tab, and with the uploads of open tabs when these are closed. */
  async restore(adopt: (stored: StoredUpload) => void): Promise<void> {
    const ids = (await settle((await this.#table('readonly')).getAllKeys())) as string[];
    for (const id of ids) {
      this.#lock(id, async () => {
        const stored = (await settle((await this.#table('readonly')).get(id))) as StoredUpload | undefined;
        if (stored) {
          this.#stored.set(id, JSON.stringify(stored));
          adopt(stored);
        }
        return stored !== undefined;
      });
    }
  }

  /** Waits for the lock of an upload, and holds it as long as the page lives if take returns true. */
  #lock(id: string, take: () => Promise<boolean>): void {
    // Pages that are not served by HTTPS have no locks: there each tab shows all uploads.
    if (!('locks' in navigator)) void take();
    else
      void navigator.locks.request(`portico.upload.${id}`, async () => {
        if (await take()) await forever;
      });
  }

  /** Stores the uploads of this tab, and deletes the ones that were removed from it. */
  async save(all: readonly StoredUpload[]): Promise<void> {
    const ids = new Set(all.map(({ id }) => id));
    const gone = [...this.#stored.keys()].filter((id) => !ids.has(id));
    const changed = all.filter((stored) => this.#stored.get(stored.id) !== JSON.stringify(stored));
    for (const stored of changed) {
      if (!this.#stored.has(stored.id)) this.#lock(stored.id, () => Promise.resolve(true));
      this.#stored.set(stored.id, JSON.stringify(stored));
    }
    for (const id of gone) this.#stored.delete(id);
    if (gone.length + changed.length === 0) return;
    try {
      const table = await this.#table('readwrite');
      const stored = complete(table.transaction);
      for (const upload of changed) table.put(upload);
      for (const id of gone) table.delete(id);
      await stored;
    } catch (error) {
      // Nothing was stored, for example because the disk is full. The next call tries it again.
      for (const { id } of changed) if (this.#stored.has(id)) this.#stored.set(id, '');
      for (const id of gone) this.#stored.set(id, '');
      throw error;
    }
  }
}
