// Runs scenarios and reports their outcomes to the Go test.

import { inspect } from 'node:util';

// The limits, in milliseconds, are for a machine that is busy with other tests: a
// scenario takes seconds, and a step of a browser fractions of one.
const scenarioTimeout = 180_000;
export const stepTimeout = 120_000;

// run runs scenarios, functions by the sentence that each proves, all at once, and
// prints a line of JSON when one has ended.
export function run(scenarios) {
  return Promise.all(Object.entries(scenarios).map(async ([name, scenario]) => {
    const began = performance.now();
    let error = '';
    try {
      await within(scenarioTimeout, scenario());
    } catch (thrown) {
      error = thrown?.stack ? `${thrown.stack}` : inspect(thrown, { depth: 5 });
    }
    const milliseconds = Math.round(performance.now() - began);
    console.log(JSON.stringify({ name, error, milliseconds }));
  }));
}

// runInTurn runs scenarios one after the other.
export async function runInTurn(scenarios) {
  for (const [name, scenario] of Object.entries(scenarios)) await run({ [name]: scenario });
}

// within rejects when the promise takes longer, in milliseconds.
export async function within(time, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing came for ${time} ms`)), time);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

// pause is for proving that nothing comes.
export const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));
