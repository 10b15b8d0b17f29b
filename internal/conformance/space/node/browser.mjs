// What the scripts share: a browser, visitors, and screenshots. A script fails with an error, and
// at its end if a page has reported a problem.

import assert from 'node:assert/strict';
import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';

// An import would first read all of Playwright for the names of its exports, for a third of a second.
const { chromium } = createRequire(import.meta.url)('playwright-core');

export const given = JSON.parse(await text(process.stdin));

const browser = await chromium.launch({
  executablePath: given.chromium,
  headless: true,
  args: [
    '--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync',
    '--enable-unsafe-swiftshader',
  ],
});

/** Returns a session with the browser, for what pages cannot measure. */
export const controlBrowser = () => browser.newBrowserCDPSession();

/** The limit of each wait, in milliseconds. An idle machine needs seconds. */
export const timeout = Number(process.env.SPACE_PATIENCE ?? 240_000);

// The server serves files under another name than pages.
const { origin: server } = new URL(given.server);
const origins = [server, server.replace('127.0.0.1', 'localhost')];

/** Opens a page as a stranger, in a window of this size. Its files may come from further origins. */
export async function visitor(options = {}, further = []) {
  const context = await browser.newContext({ viewport: { width: 480, height: 480 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(timeout);
  const problems = [];
  const requests = [];
  const said = [];
  page.on('console', (message) => {
    if (process.env.SPACE_CONSOLE) console.log(message.type(), message.text());
    said.push(message.text());
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.stack));
  page.on('request', (request) => {
    requests.push(request.url());
    const { protocol, origin } = new URL(request.url());
    if (!['blob:', 'data:'].includes(protocol) && ![...origins, ...further].includes(origin)) problems.push(`foreign request: ${request.url()}`);
  });
  page.on('response', (response) => response.status() < 400 || problems.push(`${response.url()}: status ${response.status()}`));
  await page.addInitScript(() => document.addEventListener('securitypolicyviolation', (event) => {
    console.error(`policy violation: ${event.violatedDirective} ${event.blockedURI}`);
  }));
  return { context, page, problems, requests, said };
}

/** Opens a space and waits for its first picture, which the poster fades into. */
export async function open(page, space, fragment = '') {
  await page.goto('about:blank');
  await page.goto(`${given.server}/${space}${fragment}`);
  await page.locator('#scene[data-state="ready"]').waitFor();
  await page.locator('#scene img.poster').waitFor({ state: 'hidden' });
}

/** Presses a control of the view: in the bar, or in the panel of those that do not fit into it. */
export async function press(page, name, more = 'More') {
  const control = page.locator('#scene').getByRole('button', { name, exact: true, includeHidden: true });
  if (!await control.isVisible()) await page.getByRole('button', { name: more, exact: true }).click();
  await control.click();
}

/** Moves the view of an open space. It costs much less than opening the space again. */
export const goTo = (page, fragment) => page.evaluate((hash) => { location.hash = hash; }, fragment);

/** Returns the fragment of a view. */
export const view = (mode, eye, yaw, pitch = 0, distance = 4) => `#view=${[mode, ...eye, yaw, pitch, distance].join(',')}`;

/** Returns the mode and the numbers of the view that the page shows. */
export async function currentView(page) {
  await page.evaluate(() => [...document.querySelectorAll('#scene button')].find((one) => one.textContent === 'Copy link to this view').click());
  const [mode, x, y, z, yaw, pitch] = (await page.evaluate(() => location.hash)).replace('#view=', '').split(',');
  return { mode, eye: [x, y, z].map(Number), yaw: Number(yaw), pitch: Number(pitch) };
}

/**
 * Puts fingers on the page, moves them and lifts them. Each finger moves from one place to
 * another; they are equal for a tap.
 */
export const touch = (page, ...ways) => hold(page, ways, async () => {});

/** Moves fingers like touch, and lifts them after a function has returned. */
export async function hold(page, ways, meanwhile) {
  const session = await page.context().newCDPSession(page);
  const send = (type, share) => session.send('Input.dispatchTouchEvent', {
    type, touchPoints: ways.map(([[x, y], [toX, toY]], id) => ({ id, x: x + (toX - x) * share, y: y + (toY - y) * share })),
  });
  await send('touchStart', 0);
  // A browser takes a finger that moves little for a tap.
  if (ways.some(([from, to]) => from[0] !== to[0] || from[1] !== to[1])) for (const share of [0.25, 0.5, 0.75, 1]) await send('touchMove', share);
  await meanwhile();
  await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await session.detach();
}

const reader = await (await browser.newContext()).newPage();

/** Hides what lies over the 3D view, or shows it again. */
const hideControls = (scene, hidden) => scene.evaluate((_, visibility) => {
  for (const part of document.querySelectorAll(':is(.top, .heading, .caption), #scene > :not(canvas, .poster)')) part.style.visibility = visibility;
}, hidden ? 'hidden' : '');

/** Returns the colours of places in the 3D view, each a pair of shares of its width and height. */
export async function colours(page, places) {
  const scene = page.locator('#scene');
  await hideControls(scene, true);
  const screen = (await scene.screenshot({ timeout })).toString('base64');
  await hideControls(scene, false);
  return reader.evaluate(async ({ screen, places }) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${screen}`)).blob());
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    return places.map(([x, y]) => [...context.getImageData(Math.floor(x * image.width), Math.floor(y * image.height), 1, 1).data].slice(0, 3));
  }, { screen, places });
}

/** Returns the mean difference of red, green and blue between two PNGs, from 0 to 255. */
export async function difference(one, other) {
  const pictures = [one, other].map((png) => png.toString('base64'));
  return reader.evaluate(async (pictures) => {
    const [a, b] = await Promise.all(pictures.map(async (png) => {
      const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
      const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
      context.drawImage(image, 0, 0);
      return context.getImageData(0, 0, image.width, image.height);
    }));
    if (a.width !== b.width || a.height !== b.height) throw new Error(`sizes ${a.width}x${a.height} and ${b.width}x${b.height}`);
    let sum = 0;
    for (let i = 0; i < a.data.length; i++) if (i % 4 !== 3) sum += Math.abs(a.data[i] - b.data[i]);
    return Math.round((100 * sum) / (a.width * a.height * 3)) / 100;
  }, pictures);
}

/** Reports whether two colours look alike. */
export const alike = (a, b, tolerance = 40) => a.every((channel, i) => Math.abs(channel - b[i]) <= tolerance);

/** Waits until a condition holds; the last value is in the error. */
export async function eventually(what, probe, holds) {
  const end = performance.now() + timeout;
  let value;
  do {
    value = await probe();
    if (holds(value)) return value;
    await new Promise((resolve) => setTimeout(resolve, 100));
  } while (performance.now() < end);
  throw new Error(`${what}: got ${JSON.stringify(value)}`);
}

/** Waits until a place on the screen has a colour. */
export const awaitColour = (page, place, wanted, tolerance) =>
  eventually(`colour at ${place}, want ${wanted}`, async () => (await colours(page, [place]))[0], (got) => alike(got, wanted, tolerance));

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Checks that axe finds no barrier in the page, by the rules of WCAG 2.2 A and AA. */
export async function accessible(page) {
  await page.evaluate(axe);
  // What fades in has colours that nobody stays to read.
  await page.evaluate(() => Promise.allSettled(document.getAnimations()
    .filter(({ playState, effect }) => playState === 'running' && Number.isFinite(effect?.getComputedTiming().endTime)).map(({ finished }) => finished)));
  const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
  const violations = await page.evaluate(async (values) => (await window.axe.run(document, { runOnly: values, resultTypes: ['violations'] })).violations, rules);
  assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), []);
}

/** Saves a screenshot for people in the folder SPACE_PICTURES, if that is set. */
export async function savePicture(page, name) {
  if (!given.pictures) return;
  await mkdir(given.pictures, { recursive: true });
  await page.screenshot({ path: `${given.pictures}/${name}.png`, timeout });
}

/** Calls the REST interface as the owner of the spaces. */
export async function call(method, path, body) {
  const response = await fetch(given.server + path, {
    method, headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${given.key}` },
    ...(body && { body: JSON.stringify(body) }),
  });
  assert.ok(response.ok, `${method} ${path}: status ${response.status}: ${await response.clone().text()}`);
  return response.json();
}

/** Uploads a file as the owner and returns its key. */
export async function upload(name, type, bytes) {
  const { data: { params } } = await call('POST', '/v1/files/upload', { file_name: name, file_size: bytes.length, content_type: type });
  const put = await fetch(params.url, { method: params.method, headers: params.headers, body: bytes });
  assert.ok(put.ok);
  const { data } = await call('POST', '/v1/files/upload-complete', { status: 'success', extra_info: { file_url: params.url.replace(/\?.*/, '') } });
  return data.resource_key;
}

/** Runs a GraphQL operation as the owner of the spaces. */
export async function query(document, variables) {
  const { data, errors } = await call('POST', '/graphql', { query: document, variables });
  assert.equal(errors, undefined);
  return data;
}

/** Ends a script. It fails if a page has reported a problem. */
export async function finish(...visitors) {
  const problems = visitors.flatMap((one) => one.problems);
  await browser.close();
  assert.deepEqual(problems, []);
}

process.on('SIGINT', async () => {
  await browser.close();
  process.exit(1);
});
// An error in a script must not leave the browser running.
process.on('uncaughtException', async (error) => {
  console.log(error);
  await browser.close();
  process.exit(1);
});
process.on('unhandledRejection', (error) => { throw error; });
