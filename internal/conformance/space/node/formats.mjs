// Strangers see each capture as the engine draws its source file. The pictures of the page
// must be those of the engine alone, and differ from the picture of wrong axes and from the
// picture of another file.

import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { difference, eventually, finish, given, open, timeout, view, visitor } from './browser.mjs';

// Readers of SPZ, SOG and compressed PLY round values, and the page sorts by the distance to
// the eye and not by depth: over all formats that costs up to 0.6 of 255. Wrong axes and wrong
// files differ by 13 and more.
const same = 1.5;
const wrong = 8;

const viewport = { width: 512, height: 320 }; // the shape of posters, in which the page has the engine's field of view
const stranger = await visitor({ viewport });
const engine = await visitor({ viewport }, [new URL(given.reference).origin]);
await engine.page.goto(given.reference);
await engine.page.waitForFunction(() => window.show);

const screenshot = (page) => page.locator('canvas').screenshot({ timeout });
const drawings = new Map();

/** Returns the engine's drawing of a file in the size of the page's canvas. */
async function draw(file, camera, size) {
  const values = { ...camera, ...size, ...file };
  const key = JSON.stringify(values);
  if (!drawings.has(key)) {
    await engine.page.evaluate((values) => window.show(values), values);
    drawings.set(key, await screenshot(engine.page));
  }
  return drawings.get(key);
}

async function keepAll(name, pictures) {
  if (!given.pictures) return;
  await mkdir(given.pictures, { recursive: true });
  for (const [which, png] of Object.entries(pictures)) await writeFile(`${given.pictures}/format-${name}-${which}.png`, png);
}

for (const { name, space, camera, source, other } of given.formats) {
  const start = performance.now();
  await open(stranger.page, space, view('fly', camera.eye, camera.yaw, camera.pitch));
  // Only the drawing is compared, so what lies over it is hidden.
  const size = await stranger.page.evaluate(() => {
    for (const part of document.querySelectorAll(':is(.top, .heading), #scene > :not(canvas)')) part.style.display = 'none';
    const { clientWidth: width, clientHeight: height } = document.querySelector('#scene canvas');
    return { width, height };
  });
  const want = await draw(source, camera, size);
  const wrongs = { axes: await draw({ ...source, turn: false }, camera, size), file: await draw(other, camera, size) };
  let got;
  try {
    await eventually(`${name}: mean difference from the engine's picture, want at most ${same}`, async () => {
      got = await screenshot(stranger.page);
      return difference(got, want);
    }, (value) => value <= same);
  } finally {
    await keepAll(name, { got, want, ...wrongs });
  }
  const differences = { same: await difference(got, want) };
  for (const [what, picture] of Object.entries(wrongs)) differences[what] = await difference(got, picture);
  console.log(name, JSON.stringify(differences), `${Math.round(performance.now() - start)} ms`);
  for (const what of Object.keys(wrongs)) {
    assert.ok(differences[what] >= wrong, `${name}: the picture differs from that of wrong ${what} by ${differences[what]}, want at least ${wrong}`);
  }
}
await finish(stranger, engine);
