// The list of what is in the space: by keyboard, in another language, and without 3D.

import assert from 'node:assert/strict';
import { accessible, currentView, eventually, finish, given, open, press, savePicture, visitor } from './browser.mjs';

const stranger = await visitor();
const { page } = stranger;
await open(page, given.space);
// A narrow view has few controls, with their names. The others are in a panel, with the help for fingers first where there is no mouse.
const bar = page.locator('#scene .toolbar button:visible');
assert.deepEqual(await bar.allTextContents(), ['Share', 'More']);
const more = page.getByRole('button', { name: 'More', exact: true });
const listed = page.getByRole('complementary', { name: 'More' });
await more.focus();
await page.keyboard.press('Enter');
for (const name of ['Fly', 'Orbit', 'Reset view', 'Contents', 'About', 'Help']) assert.ok(await listed.getByRole('button', { name, exact: true }).isVisible(), name);
await accessible(page);
await savePicture(page, 'more');
await listed.getByRole('button', { name: 'Contents' }).press('Enter');
const panel = page.getByRole('complementary', { name: 'Contents' });
assert.match(await panel.textContent(), /cube.*3D model.*picture.*Image/s);
await accessible(page);
await savePicture(page, 'contents');
await page.keyboard.press('Tab');
const before = await currentView(page);
await panel.getByRole('button', { name: 'Look at picture.png' }).press('Enter');
await eventually('the view', () => currentView(page), ({ eye }) => eye.some((value, axis) => value !== before.eye[axis]));
await more.focus();
assert.equal(await more.getAttribute('aria-expanded'), 'true');
await panel.getByRole('button').first().focus();
await page.keyboard.press('Escape');
assert.ok(await panel.isHidden());
assert.equal(await page.evaluate(() => document.activeElement.textContent), 'More');

// An Escape that takes back what an input method converts is not for the panel.
await press(page, 'More');
const kept = page.getByRole('complementary', { name: 'More', exact: true });
await kept.waitFor();
await kept.dispatchEvent('keydown', { key: 'Escape', isComposing: true });
assert.ok(await kept.isVisible(), 'the panel stays while somebody composes');
await page.keyboard.press('Escape');
await kept.waitFor({ state: 'hidden' });

// Every panel closes by Escape directly after it was opened, and by its own button.
const opened = page.locator('#scene .panel:visible');
for (const name of ['More', 'Share', 'Contents', 'About', 'Help', 'Visitors']) {
  for (const close of [() => page.keyboard.press('Escape'), () => opened.getByRole('button', { name: 'Close' }).click()]) {
    await press(page, name);
    await page.getByRole('complementary', { name, exact: true }).waitFor();
    assert.equal(await opened.count(), 1, `panels beside ${name}`);
    await close();
    assert.equal(await opened.count(), 0, `${name} is closed`);
  }
}

// The link and the code of the space are copied by a button. The page has nothing below the view.
await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
await press(page, 'Share');
await accessible(page);
await savePicture(page, 'share');
await page.getByRole('button', { name: 'Copy: Embed code' }).click();
await eventually('the copied code', () => page.evaluate(() => navigator.clipboard.readText()),
  (text) => text.startsWith('<iframe src=') && text.includes('style="max-width: 100%; border: 0"'));
assert.ok(await page.evaluate(() => document.documentElement.scrollHeight <= innerHeight), 'nothing scrolls');
await page.keyboard.press('Escape');

// The controls of a view that nobody uses are hidden, and a move of the mouse or a key brings them back.
const idle = page.locator('#scene[data-idle]');
await page.locator('#scene canvas').focus();
await idle.waitFor({ state: 'attached' });
await eventually('the bar', () => page.locator('#scene .toolbar').evaluate((one) => getComputedStyle(one).opacity), (opacity) => opacity === '0');
await page.mouse.move(100, 100);
await idle.waitFor({ state: 'detached' });
await eventually('the bar', () => page.locator('#scene .toolbar').evaluate((one) => getComputedStyle(one).opacity), (opacity) => opacity === '1');

const german = await visitor({ locale: 'de-DE', colorScheme: 'dark', viewport: { width: 390, height: 700 } });
await open(german.page, given.space);
await press(german.page, 'Inhalt', 'Mehr');
assert.match(await german.page.getByRole('complementary', { name: 'Inhalt' }).textContent(), /3D-Modell/);
await accessible(german.page);
await savePicture(german.page, 'contents-german-dark-narrow');

// A browser without WebGL has the list alone.
const flat = await visitor();
await flat.page.addInitScript(() => { HTMLCanvasElement.prototype.getContext = () => null; });
await flat.page.goto(`${given.server}/${given.space}`);
await flat.page.locator('#scene[data-state="failed"]').waitFor();
assert.match(await flat.page.locator('#scene-contents').textContent(), /cube/);
await accessible(flat.page);
await savePicture(flat.page, 'without-webgl');
await finish(stranger, german, flat);
