import { expect, test } from 'vitest';
import { Selection } from './selection.svelte.ts';

const shown = ['a', 'b', 'c', 'd', 'e'];
const selected = (selection) => shown.filter((id) => selection.has(id)).join('');

test('a range has the rows between two, in both directions', () => {
  const selection = new Selection();
  selection.set('b', true, shown);
  selection.set('d', true, shown, true);
  expect(selected(selection)).toBe('bcd');
  selection.set('a', true, shown, true);
  expect(selected(selection)).toBe('abcd');
  selection.set('c', false, shown, true);
  expect(selected(selection)).toBe('d');
});

test('a range without a start is one row', () => {
  const selection = new Selection();
  selection.set('c', true, shown, true);
  expect(selected(selection)).toBe('c');
  selection.set('gone', true, ['gone'], true);
  selection.set('e', true, shown, true);
  expect(selected(selection)).toBe('ce');
  selection.clear();
  expect(selected(selection)).toBe('');
});
