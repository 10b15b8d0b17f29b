import { expect, it, vi } from 'vitest';

import { Progress } from './progress.ts';

it('keeps what is loaded while nothing is prepared', () => {
  const made = {};
  vi.stubGlobal('document', {
    head: { querySelectorAll: () => [] },
    createElement: (name) => {
      made[name] = { setAttribute() {}, append() {} };
      return made[name];
    },
  });
  vi.stubGlobal(
    'PerformanceObserver',
    class {
      observe() {}
    },
  );
  const progress = new Progress((name, { percent } = {}) => [name, percent].filter(Boolean).join(' '));
  const { progress: bar, p: line } = made;

  progress.report('/view/meta.json', 0);
  progress.report('/main.js', 1);
  expect(bar.value).toBe(50);

  progress.prepare('Being prepared', 25);
  expect(bar.value).toBe(25);
  expect(line.textContent).toBe('Being prepared');

  // Each change of the space says that nothing is prepared; no file need be reported after it.
  progress.prepare('', 0);
  expect(bar.value).toBe(50);
  expect(line.textContent).toBe('loadingPercent 50');
});
