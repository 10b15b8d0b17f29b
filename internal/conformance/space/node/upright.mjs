// The first frame of a page is its poster, on a wide page and on a phone. The owner is offered to turn a capture upright only if it surely lies, and is
// told of a doubtful scale.

import assert from 'node:assert/strict';
import { call, difference, eventually, finish, given, goTo, open, query, savePicture, view, visitor } from './browser.mjs';
import { owner } from './owner.mjs';

const { stands, lies, small, millimetres, kilometres } = given.spaces;

/** Waits until everything was made of a file, and returns its start. */
async function awaitStart(key) {
  const read = async () => (await query('{ files(first: 50) { nodes { resourceKey posterUrl start { up certainty scene doubtfulScale } preparation { state } } } }'))
    .files.nodes.find(({ resourceKey }) => resourceKey === key);
  return (await eventually('the preparation', read, ({ posterUrl, preparation }) => posterUrl && preparation.every(({ state }) => state !== 'PENDING'))).start;
}

const starts = Object.fromEntries(await Promise.all(Object.values(given.spaces).map(async ({ key, space }) => [space, await awaitStart(key)])));
assert.equal(starts[stands.space].scene, 'OUTDOOR');
assert.equal(starts[small.space].scene, 'OBJECT');
assert.ok(starts[small.space].doubtfulScale);
for (const { space } of [millimetres, kilometres]) assert.deepEqual([starts[space].scene, starts[space].doubtfulScale], ['OUTDOOR', true]);
const sure = starts[lies.space];
assert.ok(sure.certainty >= 0.85 && Math.abs(sure.up[1]) < 0.1, `got ${JSON.stringify(sure)}, want a sure up that is not y`);

/** Returns pictures of the first frame, and of the poster over it. */
async function firstFrameAndPoster(page, name) {
  // Only the picture is compared, so what lies over it is hidden.
  await page.evaluate(() => {
    for (const part of document.querySelectorAll(':is(.top, .heading), #scene > :not(canvas, .poster)')) part.style.visibility = 'hidden';
  });
  const frame = await page.locator('#scene').screenshot();
  await page.locator('#scene img.poster').evaluate(async (poster) => {
    poster.hidden = false;
    await poster.decode();
  });
  const poster = await page.locator('#scene').screenshot();
  await page.locator('#scene img.poster').evaluate((poster) => { poster.hidden = true; });
  await savePicture(page, `upright-${name}`);
  return { frame, poster };
}

const screens = { wide: { viewport: { width: 1280, height: 560 } }, phone: { viewport: { width: 390, height: 760 } } };
const everybody = [];
for (const [screen, options] of Object.entries(screens)) {
  // A poster is upright even where the capture lies, until its owner turns it.
  for (const [name, { space }] of Object.entries({ stands, small, millimetres, kilometres })) {
    const one = await visitor(options);
    await open(one.page, space);
    const { frame, poster } = await firstFrameAndPoster(one.page, `${screen}-${name}`);
    const same = await difference(frame, poster);
    // What a small step aside changes is what a difference of the cameras would change.
    const [mode, x, y, z, yaw, pitch, distance] = await one.page.evaluate(() => {
      [...document.querySelectorAll('#scene button')].find((button) => button.textContent === 'Copy link to this view').click();
      return location.hash.replace('#view=', '').split(',');
    });
    await goTo(one.page, view(mode === 'walk' ? 'fly' : mode, [x, y, z], Number(yaw) + 4, pitch, distance));
    const moved = await eventually('the turned view', async () => difference(await one.page.locator('#scene').screenshot(), frame), (value) => value > 0);
    console.log(`${screen} ${name}: the first frame differs from the poster by ${same}, and by ${moved} after a turn by 4 degrees`);
    assert.ok(same < moved / 2, `${screen} ${name}: got ${same}, want less than half of ${moved}`);
    everybody.push(one);
  }
}

// One click turns the capture, and people can walk in it then.
const one = await owner();
const offer = one.page.getByRole('button', { name: 'Turn it upright' });
await open(one.page, lies.space);
await offer.waitFor();
await savePicture(one.page, 'upright-offer');
const rotation = async () => (await call('GET', `/v1/spaces/${lies.space}/entities`)).data.entities[0].entity_data.rotation;
const before = await rotation();
await offer.click();
await offer.waitFor({ state: 'detached' });
await savePicture(one.page, 'upright-turned');
assert.notDeepEqual(await rotation(), before);
await open(one.page, lies.space);
await one.page.getByRole('button', { name: 'Edit', exact: true }).waitFor();
assert.equal(await offer.count(), 0, 'a capture that stands is not turned');

// Nothing is offered for a capture that stands, nor where nothing is sure; a doubtful scale is said.
for (const [space, isDoubtful] of [[stands.space, false], [given.unsure, false], [small.space, true]]) {
  await open(one.page, space);
  await one.page.getByRole('button', { name: 'Edit', exact: true }).waitFor();
  assert.equal(await offer.count(), 0);
  assert.equal(await one.page.getByText('Its scale is doubtful').count(), isDoubtful ? 1 : 0);
}
await savePicture(one.page, 'upright-scale');
await finish(one, ...everybody);
