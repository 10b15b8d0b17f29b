// The console shows whether what a person started is running, succeeded or failed.

import assert from 'node:assert/strict';
import { flushSync } from 'svelte';
import { test } from 'vitest';
import { newAction as newActionOfComponent } from './action.svelte.ts';

/** Removes the component of the test. */
let removeComponent;

function newAction() {
  let action;
  removeComponent = $effect.root(() => {
    action = newActionOfComponent();
  });
  flushSync();
  return action;
}

/** Starts work that ends when the test says so. */
function start(action, next) {
  let succeed;
  let fail;
  const work = new Promise((resolve, reject) => {
    [succeed, fail] = [resolve, reject];
  });
  const ended = action.run(() => work, next);
  return {
    succeed: (result) => {
      succeed(result);
      return ended;
    },
    fail: (refusal) => {
      fail(refusal);
      return ended;
    },
  };
}

const stateOf = ({ busy, done, error }) => ({ busy, done, error });
const ready = { busy: false, done: false, error: undefined };
const running = { busy: true, done: false, error: undefined };

test('an action is busy until its work is done, and passes the result on', async () => {
  const action = newAction();
  assert.deepEqual(stateOf(action), ready);
  const results = [];
  const work = start(action, (result) => results.push(result));
  assert.deepEqual(stateOf(action), running);
  await work.succeed('space 7');
  assert.deepEqual(stateOf(action), { busy: false, done: true, error: undefined });
  assert.deepEqual(results, ['space 7']);
});

test('an action keeps why its work failed until the next work starts', async () => {
  const action = newAction();
  const refusal = new Error('no room');
  await start(action, () => assert.fail('failed work has no result')).fail(refusal);
  assert.deepEqual(stateOf(action), { busy: false, done: false, error: refusal });
  const work = start(action);
  assert.deepEqual(stateOf(action), running);
  await work.succeed();
  assert.deepEqual(stateOf(action), { busy: false, done: true, error: undefined });
});

test('an action fails by an error that its work throws before it waits', async () => {
  const action = newAction();
  const refusal = new Error('not a picture');
  await action.run(() => {
    throw refusal;
  });
  assert.deepEqual(stateOf(action), { busy: false, done: false, error: refusal });
});

test('an action is busy until all its work has ended', async () => {
  const action = newAction();
  const first = start(action);
  const second = start(action);
  const refusal = new Error('too late');
  await first.fail(refusal);
  assert.deepEqual(stateOf(action), { busy: true, done: false, error: refusal });
  await second.succeed();
  assert.equal(action.busy, false);
});

for (const [departure, leave] of [
  ['closes the dialog', (action) => action.leave()],
  ['leaves the view', () => removeComponent()],
]) {
  test(`an action drops what comes after the person ${departure}`, async () => {
    const action = newAction();
    const dropped = () => assert.fail('the result comes too late');
    const [success, failure] = [start(action, dropped), start(action, dropped)];
    leave(action);
    assert.deepEqual(stateOf(action), running);
    await success.succeed();
    assert.deepEqual(stateOf(action), running);
    await failure.fail(new Error('too late'));
    assert.deepEqual(stateOf(action), ready);
  });
}

test('work that was left does not end the next work', async () => {
  const action = newAction();
  const left = start(action);
  action.leave();
  const next = start(action);
  await left.succeed();
  assert.deepEqual(stateOf(action), running);
  await next.succeed();
  assert.deepEqual(stateOf(action), { busy: false, done: true, error: undefined });
});

test('a result that closes the dialog leaves an action that is ready', async () => {
  const action = newAction();
  await start(action, () => action.leave()).succeed();
  assert.deepEqual(stateOf(action), ready);
  const next = start(action);
  await next.succeed();
  assert.equal(action.busy, false);
});
