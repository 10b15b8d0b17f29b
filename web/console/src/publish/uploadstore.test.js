// The console stores its uploads in the browser's database, through faults of the database.

import assert from 'node:assert/strict';
import { test } from 'vitest';

const { UploadStore } = await import('./uploadstore.ts');

globalThis.navigator ??= {}; // as a page without HTTPS: there are no locks

/** Replaces the browser's database by one that can be full, and returns it. */
function newDatabase() {
  const database = { rows: new Map(), full: false };
  const transaction = () => {
    const changes = [];
    const started = { error: null };
    setImmediate(() => {
      if (database.full) {
        started.error = new DOMException('full', 'QuotaExceededError');
        started.onabort?.();
      } else {
        for (const change of changes) change();
        started.oncomplete?.();
      }
    });
    started.objectStore = () => ({
      transaction: started,
      put: (row) => changes.push(() => database.rows.set(row.id, row.step)),
      delete: (id) => changes.push(() => database.rows.delete(id)),
    });
    return started;
  };
  globalThis.indexedDB = {
    open: () => {
      const request = { result: { transaction } };
      setImmediate(() => request.onsuccess());
      return request;
    },
  };
  return database;
}

test('a change that could not be stored is stored with the next one', async () => {
  const database = newDatabase();
  const store = new UploadStore('user');
  const [hall, mill] = [
    { id: 'hall', step: 'sending' },
    { id: 'mill', step: 'sending' },
  ];
  await store.save([hall]);
  database.full = true;
  await assert.rejects(store.save([mill]), { name: 'QuotaExceededError' });
  assert.deepEqual([...database.rows], [['hall', 'sending']]);
  database.full = false;
  await store.save([mill]);
  assert.deepEqual([...database.rows], [['mill', 'sending']]);
});
