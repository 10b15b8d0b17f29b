import assert from 'node:assert/strict';
import { test } from 'vitest';
import { csvOf } from './csv.ts';

const counted = (name, title = '') => ({ name, title, count: 2, seconds: 0 });

test('csvOf runs nothing in a spreadsheet, and quotes what divides cells', () => {
  const csv = csvOf({
    days: [{ day: '2026-01-31', visits: 3, stays: 2, seconds: 90 }],
    hosts: [counted('a.example')],
    places: [],
    devices: [],
    tours: [counted('t', '=HYPERLINK("https://evil.example","a")')],
    annotations: [counted('-1', 'two\r\nlines')],
  });
  assert.equal(
    csv,
    [
      'kind,name,title,count,seconds',
      'visits,2026-01-31,,3,',
      'stays,2026-01-31,,2,90',
      'hosts,a.example,,2,0',
      `tours,t,"'=HYPERLINK(""https://evil.example"",""a"")",2,0`,
      `annotations,'-1,"two\r\nlines",2,0`,
      '',
    ].join('\r\n'),
  );
});
