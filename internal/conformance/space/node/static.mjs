// A space in a folder, from a web server that knows nothing of Portico.

import assert from 'node:assert/strict';
import { accessible, currentView, eventually, finish, given, goTo, open, press, savePicture, view, visitor } from './browser.mjs';

const { origin, pathname } = new URL(given.page);
const stranger = await visitor({ viewport: { width: 1280, height: 720 }, reducedMotion: 'reduce', permissions: ['clipboard-read', 'clipboard-write'] }, [origin]);
const { page, requests } = stranger;

const enter = async (one, fragment = '') => {
  await one.goto('about:blank');
  await one.goto(given.page + fragment);
  await one.locator('#scene[data-state="ready"]').waitFor();
  await one.locator('#scene img.poster').waitFor({ state: 'hidden' });
};
await enter(page);
await savePicture(page, 'static');

// Somebody walks on the floor of the capture, to its wall.
await eventually('walking', () => currentView(page), ({ mode }) => mode === 'walk');
await enter(page, view('walk', [1, 1.65, 0], -90));
await eventually('the way of moving', () => currentView(page), ({ mode }) => mode === 'walk');
await page.locator('#scene canvas').focus();
await page.keyboard.down('KeyW');
await eventually('the wall', () => currentView(page), ({ eye }) => eye[0] > 3.4);
await page.keyboard.up('KeyW');
const { eye } = await currentView(page);
assert.ok(eye[0] < 4 && Math.abs(eye[1] - 1.6) < 0.2, `walked to ${eye}`);

// An annotation with its picture, and the tour.
await goTo(page, view('fly', [0, 1.5, 2], 0));
await page.getByRole('button', { name: 'Annotation 1: The window' }).press('Enter');
const card = page.getByRole('complementary', { name: 'The window' });
const image = card.getByRole('img', { name: 'The window' });
await image.waitFor();
await eventually('the picture', () => image.evaluate((one) => one.naturalWidth), (width) => width > 0);
assert.match(await card.innerHTML(), /<strong>glass<\/strong>/);
await accessible(page);
await savePicture(page, 'static-annotation');
await page.keyboard.press('Escape');
await page.getByRole('group', { name: 'Tour: Around' }).getByRole('button', { name: 'Play' }).click();
await card.waitFor();
await eventually('the second stop', () => currentView(page), (now) => Math.abs(now.eye[0] - 2) < 0.01);
await page.getByRole('button', { name: 'End' }).click();

// Everything that was shown is listed, and the page says where it is from.
await press(page, 'Contents');
for (const name of ['cube.glb', 'picture.png']) await page.getByRole('button', { name: `Look at ${name}` }).waitFor();
assert.equal(await page.getByText('secret').count(), 0);
await page.keyboard.press('Escape');

const phone = await visitor({ viewport: { width: 390, height: 700 }, colorScheme: 'dark', hasTouch: true, isMobile: true }, [origin]);
await enter(phone.page);
await accessible(phone.page);
await savePicture(phone.page, 'static-phone-dark');

// Nothing was asked of Portico, nor of the rest of the web server.
for (const address of [...requests, ...phone.requests]) {
  if (/^(blob|data|about):/.test(address)) continue;
  assert.ok(address.startsWith(origin + pathname), `request outside the folder: ${address}`);
}

// At the server, the panel of the space names its licence and has the downloads.
const served = [];
const looks = {
  desktop: { viewport: { width: 1280, height: 720 } }, 'desktop-dark': { viewport: { width: 1280, height: 720 }, colorScheme: 'dark' },
  phone: { viewport: { width: 390, height: 760 }, hasTouch: true, isMobile: true }, 'phone-dark': { viewport: { width: 390, height: 760 }, colorScheme: 'dark', hasTouch: true, isMobile: true },
};
for (const [look, options] of Object.entries(looks)) {
  const one = await visitor({ ...options, reducedMotion: 'reduce' });
  await open(one.page, given.space);
  await press(one.page, 'About');
  const about = one.page.locator('#scene-about');
  assert.match(await about.getByRole('link', { name: 'CC BY 4.0' }).getAttribute('href'), /creativecommons/);
  await about.getByRole('link', { name: /^Download room as PLY/ }).scrollIntoViewIfNeeded();
  await accessible(one.page);
  await savePicture(one.page, `download-${look}`);
  if (look === 'desktop') {
    for (const [name, file] of [[/^Download room as PLY/, /\.ply$/], [/^Download room as Streamed SOG/, /^room\.zip$/]]) {
      const [download] = await Promise.all([one.page.waitForEvent('download'), about.getByRole('link', { name }).click()]);
      assert.equal(await download.failure(), null);
      assert.match(download.suggestedFilename(), file);
    }
  }
  served.push(one);
}
await finish(stranger, phone, ...served);
