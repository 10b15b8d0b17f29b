// The editor of a space merges what others change into what the owner changes.

import assert from 'node:assert/strict';
import { setImmediate as settled } from 'node:timers/promises';
import { test } from 'vitest';

const { Saver } = await import('./saver.ts');
const { ServerError } = await import('../server/graphql.ts');

const [monday, tuesday] = ['2026-11-23T08:00:00.000Z', '2026-11-24T08:00:00.000Z'];
const chair = (createdAt, version, data) => ({
  id: 'space/chair',
  entityId: 'chair',
  type: 'Simple',
  version,
  createdAt,
  data,
  readUrl: null,
  file: null,
});
const attempt = { step: { kind: 'change', entityId: 'chair', before: {}, after: {} }, direction: 'do' };

/** Returns a saver of a chair, with what the server is sent and what the page shows. */
function newSaver(stored, update, remove) {
  const seen = { sent: [], shown: [], hidden: [], refused: [], gone: [], busy: false, conflicts: 0 };
  const server = {
    update: async (_, change, version) => {
      seen.sent.push({ change, version });
      return update(change, version);
    },
    delete: remove,
  };
  const saver = new Saver([stored], server, {
    show: (entity) => seen.shown.push(entity),
    hide: (id) => seen.hidden.push(id),
    refused: (_, __, problem) => seen.refused.push(problem),
    conflict: () => {
      seen.conflicts++;
    },
    gone: (id) => seen.gone.push(id),
    busy: (saving) => {
      seen.busy = saving;
    },
  });
  return { saver, seen };
}

test('an entity that was deleted and created again replaces the old one', async () => {
  const again = chair(tuesday, 1, { title: 'Again' });
  const { saver, seen } = newSaver(chair(monday, 5, { title: 'Old' }), (change, version) =>
    chair(tuesday, version + 1, { ...again.data, ...change }),
  );
  assert.deepEqual(saver.receive(again), again);
  assert.deepEqual(saver.receive(chair(monday, 6, { title: 'Late' })), again, 'a late event of the deleted entity');
  saver.change('chair', { colour: 'red' }, attempt);
  await settled();
  assert.deepEqual(seen.sent, [{ change: { colour: 'red' }, version: 1 }]);
  assert.deepEqual(saver.entity('chair'), chair(tuesday, 2, { title: 'Again', colour: 'red' }));
});

test('a conflict with an entity that was created again is resolved', async () => {
  const again = chair(tuesday, 1, { title: 'Again' });
  const { saver, seen } = newSaver(chair(monday, 5, { title: 'Old' }), (change, version) => {
    if (seen.sent.length > 3) throw new ServerError('Too many requests', { code: 'RATE_LIMITED' });
    if (version !== 1) throw new ServerError('It has changed', { code: 'CONFLICT', current: again });
    return chair(tuesday, 2, { ...again.data, ...change });
  });
  saver.change('chair', { colour: 'red' }, attempt);
  await settled();
  assert.deepEqual(
    seen.sent.map(({ version }) => version),
    [5, 1],
  );
  assert.deepEqual(saver.entity('chair'), chair(tuesday, 2, { title: 'Again', colour: 'red' }));
});

test('a newer change of somebody else is not overwritten without a question', async () => {
  let respond;
  const { saver, seen } = newSaver(
    chair(monday, 1, { title: 'Old' }),
    () =>
      new Promise((resolve) => {
        respond = resolve;
      }),
  );
  saver.change('chair', { title: 'First' }, attempt);
  saver.change('chair', { title: 'Second' }, attempt);
  saver.receive(chair(monday, 3, { title: 'Theirs' })); // before the response to 'First'
  respond(chair(monday, 2, { title: 'First' }));
  await settled();
  assert.deepEqual(seen.sent, [{ change: { title: 'First' }, version: 1 }]);
  assert.equal(seen.conflicts, 1);
  assert.equal(saver.conflict('chair').theirs.data.title, 'Theirs');
  assert.equal(saver.conflict('chair').mine.data.title, 'Second');
  saver.decide('chair', true);
  await settled();
  assert.deepEqual(seen.sent[1], { change: { title: 'Second' }, version: 3 });
});

test('a newer change of somebody else to another field is merged', async () => {
  let respond;
  const { saver, seen } = newSaver(
    chair(monday, 1, { title: 'Old' }),
    () =>
      new Promise((resolve) => {
        respond = resolve;
      }),
  );
  saver.change('chair', { title: 'First' }, attempt);
  saver.change('chair', { title: 'Second' }, attempt);
  saver.receive(chair(monday, 3, { title: 'First', colour: 'red' }));
  respond(chair(monday, 2, { title: 'First' }));
  await settled();
  assert.equal(seen.conflicts, 0);
  assert.deepEqual(seen.sent[1], { change: { title: 'Second' }, version: 3 });
});

/** Lets somebody else delete a chair while a change of it is saved, and returns the functions that end the request. */
function deletedWhileSaving() {
  let ends;
  const { saver, seen } = newSaver(
    chair(monday, 1, { title: 'Old' }),
    () =>
      new Promise((respond, refuse) => {
        ends = { respond, refuse };
      }),
  );
  saver.change('chair', { title: 'New' }, attempt);
  assert.equal(saver.receiveDeletion('chair'), true);
  seen.shown = [];
  return { saver, seen, ...ends };
}

test('a response does not show an entity again that was deleted meanwhile', async () => {
  const { saver, seen, respond } = deletedWhileSaving();
  respond(chair(monday, 2, { title: 'New' }));
  await settled();
  assert.deepEqual([seen.shown, seen.gone, seen.busy], [[], ['chair'], false]);
  assert.equal(saver.entity('chair'), null);
});

test('a refusal does not hide an entity that was deleted and created again meanwhile', async () => {
  const { saver, seen, refuse } = deletedWhileSaving();
  const again = chair(tuesday, 1, { title: 'Again' });
  assert.deepEqual(saver.receive(again), again);
  refuse(new ServerError('Not found', { code: 'NOT_FOUND' }));
  await settled();
  assert.deepEqual([seen.hidden, seen.gone, seen.refused, seen.busy], [[], ['chair'], [], false]);
  assert.deepEqual(saver.entity('chair'), again);
});

test('nothing is being saved after a refusal because the entity was deleted', async () => {
  const { saver, seen } = newSaver(chair(monday, 1, { title: 'Old' }), async () => {
    throw new ServerError('Not found', { code: 'NOT_FOUND' });
  });
  saver.change('chair', { title: 'New' }, attempt);
  await settled();
  assert.deepEqual([seen.hidden, seen.gone, seen.busy], [['chair'], ['chair'], false]);
});

/** Deletes the chair, and loses the response after the event of the deletion has come. */
function deletedWithoutResponse() {
  let lose;
  const { saver, seen } = newSaver(
    chair(monday, 1, { title: 'Old' }),
    null,
    () =>
      new Promise((_, refuse) => {
        lose = () => refuse(new TypeError('Failed to fetch'));
      }),
  );
  saver.delete('chair', attempt);
  assert.equal(saver.receiveDeletion('chair'), true);
  return { saver, seen, lose };
}

test('a deletion whose response is lost after its event is not refused', async () => {
  const { saver, seen, lose } = deletedWithoutResponse();
  lose();
  await settled();
  assert.deepEqual([seen.shown, seen.refused, seen.gone, seen.busy], [[], [], [], false]);
  assert.equal(saver.entity('chair'), null);
  const again = chair(tuesday, 1, { title: 'Again' });
  assert.deepEqual(saver.receive(again), again, 'an entity that somebody else creates with the same id');
});
