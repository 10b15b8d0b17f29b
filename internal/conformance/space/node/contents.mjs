// The list of what is in the space: by keyboard, in another language, and without 3D.

import assert from 'node:assert/strict';
import { accessible, currentView, eventually, finish, given, open, savePicture, visitor } from './browser.mjs';

const stranger = await visitor();
const { page } = stranger;
await open(page, given.space);
const opener = page.getByRole('button', { name: 'Contents' });
await opener.focus();
await page.keyboard.press('Enter');
const panel = page.getByRole('complementary', { name: 'Contents' });
assert.match(await panel.textContent(), /cube.*3D model.*picture.*Image/s);
await accessible(page);
await savePicture(page, 'contents');
await page.keyboard.press('Tab');
const before = await currentView(page);
await panel.getByRole('button', { name: 'Look at picture.png' }).press('Enter');
await eventually('the view', () => currentView(page), ({ eye }) => eye.some((value, axis) => value !== before.eye[axis]));
await opener.focus();
assert.equal(await opener.getAttribute('aria-expanded'), 'true');
await panel.getByRole('button').first().focus();
await page.keyboard.press('Escape');
assert.ok(await panel.isHidden());
assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Contents');

const german = await visitor({ locale: 'de-DE', colorScheme: 'dark', viewport: { width: 390, height: 700 } });
await open(german.page, given.space);
await german.page.getByRole('button', { name: 'Inhalt' }).click();
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
