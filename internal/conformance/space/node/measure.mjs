// Measures visits as a stranger has them: the time to the first picture, frame times while the
// view turns, and memory.

import { readFile } from 'node:fs/promises';
import { controlBrowser, finish, given, savePicture, timeout, view, visitor } from './browser.mjs';

const turningTime = 10_000;
const megabytes = (bytes) => Math.round(bytes / 1e5) / 10;
const round = (value) => Math.round(value);

/** Visits with a fresh cache, and returns when the poster and the first picture were seen. */
async function visit() {
  const stranger = await visitor({ viewport: { width: 1280, height: 720 } });
  const { page } = stranger;
  await page.addInitScript(() => {
    window.times = {};
    const note = (name) => { window.times[name] ??= performance.now(); };
    new MutationObserver(() => {
      const scene = document.querySelector('#scene');
      const poster = scene?.querySelector('.poster');
      if (poster && !poster.hidden && !poster.noted) {
        poster.noted = true;
        poster.decode().then(() => note('poster'), () => {});
      }
      if (scene?.dataset.state === 'ready') {
        note('first');
        window.firstSplats ??= Number(scene.querySelector('canvas').dataset.splats);
      }
    }).observe(document, { subtree: true, childList: true, attributes: true });
  });
  await page.goto(`${given.server}/${given.space}${view('fly', given.eye, given.yaw, given.pitch)}`);
  await page.locator('#scene[data-state="ready"]').waitFor();
  const seen = await page.evaluate(() => ({
    ...window.times, splats: window.firstSplats,
    requests: performance.getEntriesByType('resource').filter(({ startTime }) => startTime < window.times.first).map((entry) => ({
      file: entry.name.replace(/^.*\/([^/?]*).*$/, '$1'), start: entry.startTime, end: entry.responseEnd, bytes: entry.encodedBodySize,
    })),
  }));
  return { stranger, page, seen };
}

/** Waits until the number of drawn Gaussians stays the same, for longer than the engine takes to load and draw the next level. */
async function settled(page) {
  let last = -1;
  const start = performance.now();
  let since = start;
  while (performance.now() - start < timeout && performance.now() - since < 90_000) {
    const now = Number(await page.locator('#scene canvas').getAttribute('data-splats'));
    if (now !== last) {
      [last, since] = [now, performance.now()];
      console.log(`  ${round((since - start) / 1000)} s after the first picture: ${now} Gaussians`);
    }
    await page.waitForTimeout(250);
  }
  return last;
}

/** Returns the times between frames while the view turns. */
async function turn(page) {
  await page.locator('#scene canvas').focus();
  await page.keyboard.down('ArrowLeft');
  const frames = await page.evaluate((time) => new Promise((resolve) => {
    const frames = [];
    let last = performance.now();
    const end = last + time;
    const step = (now) => {
      frames.push(now - last);
      last = now;
      if (now < end) requestAnimationFrame(step);
      else resolve(frames.slice(1));
    };
    requestAnimationFrame(step);
  }), turningTime);
  await page.keyboard.up('ArrowLeft');
  return frames.sort((a, b) => a - b);
}

/** Returns the memory of the browser's processes by their kind, shared pages counted once. */
async function memory() {
  const { processInfo } = await (await controlBrowser()).send('SystemInfo.getProcessInfo');
  const sums = {};
  for (const { type, id } of processInfo) {
    const rollup = await readFile(`/proc/${id}/smaps_rollup`, 'utf8').catch(() => '');
    sums[type] = (sums[type] ?? 0) + 1024 * Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0);
  }
  return Object.fromEntries(Object.entries(sums).map(([type, bytes]) => [type, megabytes(bytes)]));
}

const firsts = [];
for (let i = 0; i < 3; i++) {
  const { stranger, seen } = await visit();
  firsts.push(seen.first);
  console.log(`visit ${i + 1}: poster ${round(seen.poster)} ms, first picture ${round(seen.first)} ms with ${seen.splats} Gaussians`);
  if (i === 0) for (const { file, start, end, bytes } of seen.requests) console.log(`  ${round(start)} - ${round(end)} ms, ${Math.round(bytes / 1000)} kB: ${file}`);
  await stranger.context.close();
}
const { stranger, page } = await visit();
const drawn = await settled(page);
await savePicture(page, `measured-${given.gaussians}`);
const session = await page.context().newCDPSession(page);
const frames = await turn(page);
await session.send('Performance.enable');
const heap = (await session.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'JSHeapUsedSize').value;
console.log(JSON.stringify({
  gaussians: given.gaussians, firstMedian: round(firsts.sort((a, b) => a - b)[1]), drawn,
  frames: frames.length, frameMedian: round(frames[Math.floor(frames.length / 2)]), frame95: round(frames[Math.floor(frames.length * 0.95)]),
  heapMB: megabytes(heap), processMB: await memory(),
}));
await finish(stranger);
