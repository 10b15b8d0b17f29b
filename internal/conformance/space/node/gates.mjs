// Gates lead on and back, and to other sites only after a question.

import assert from 'node:assert/strict';
import { accessible, currentView, eventually, finish, given, goTo, open, press, savePicture, view, visitor } from './browser.mjs';

const { origin } = new URL(given.page);
const stranger = await visitor({}, [origin]);
const { page } = stranger;
const path = () => new URL(page.url()).pathname;
const ready = () => page.locator('#scene[data-state="ready"]').waitFor();

await open(page, given.space);
await eventually('the title of the gate', () => page.locator('#scene-contents').textContent(), (text) => text.includes('The room'));
await savePicture(page, 'hub');

// The gate ahead stands at z = -8.6, in front of the wall.
const walkInto = async (fragment, wanted) => {
  await goTo(page, fragment);
  await page.locator('#scene canvas').focus();
  await page.keyboard.down('KeyW');
  await page.waitForURL((address) => address.pathname === `/${wanted}`);
  await page.keyboard.up('KeyW');
  await ready();
};
await walkInto(view('walk', [0, 1.6, -7], 0), given.behind);
assert.ok(await page.getByRole('link', { name: 'Back to The hub' }).isVisible());
await savePicture(page, 'behind');

// The gate back stands behind the visitor who has arrived.
const walkBack = async (mode) => {
  const { eye, yaw } = await currentView(page);
  await walkInto(view(mode, eye, yaw + 180), given.space);
};
await walkBack('walk');
// Even in a space where only the content suggests a view.
await walkInto(view('walk', [4, 1.6, -2.6], 0), given.plain);
assert.equal(await page.getByRole('link', { name: 'Back to The hub' }).count(), 1);
await walkBack('fly');
// The browser's back button works, too.
await page.goBack();
await eventually('the address', path, (got) => got === `/${given.plain}`);

await open(page, given.space, view('walk', [4, 1.6, 5], 0));
await savePicture(page, 'gate');
const box = await page.locator('#scene canvas').boundingBox();
await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
const dialog = page.getByRole('dialog');
await dialog.waitFor();
assert.match(await dialog.textContent(), /Open elsewhere\.example\?.*https:\/\/elsewhere\.example\/page\?a=b/);
await accessible(page);
await savePicture(page, 'leave');
await dialog.getByRole('button', { name: 'Stay here' }).click();
await dialog.waitFor({ state: 'detached' });
assert.equal(path(), `/${given.space}`);

// A gate shows its page within the space, which the page cannot reach.
assert.ok(!stranger.requests.some((address) => address.startsWith(origin)), 'nothing is loaded before the visitor wants it');
await open(page, given.space, view('walk', [-4, 1.6, 5], 0));
await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
await dialog.waitFor();
assert.match(await dialog.textContent(), new RegExp(`Page of ${new URL(origin).host}`));
const framed = page.frameLocator('#scene dialog iframe');
await framed.locator('#open').filter({ hasText: 'open:' }).waitFor();
assert.equal(await framed.locator('#received').textContent(), 'referrer "", cookie ""');
assert.equal(await framed.locator('#open').textContent(), 'open: none');
assert.equal(path(), `/${given.space}`);
await savePicture(page, 'embedded');
await dialog.getByRole('button', { name: 'Close' }).click();
await dialog.waitFor({ state: 'detached' });
// A closed dialog loses its role before it is removed.
await page.locator('iframe').waitFor({ state: 'detached' });
// Where gates stand far apart, the first view shows those that stand together.
await open(page, given.apart);
await eventually('the overview of the gates at x 0 and 5', () => currentView(page), ({ mode, eye }) => (
  mode === 'orbit' && Math.hypot(eye[0] - 2.5, eye[2] - 100) < 20
));
await savePicture(page, 'gates-apart');
await page.setViewportSize({ width: 1280, height: 800 });
const canvas = () => page.locator('#scene canvas').boundingBox();
await eventually('the size of the view', canvas, ({ width, height }) => width === 1280 && height > 600);
await savePicture(page, 'gate-wide');
await page.emulateMedia({ colorScheme: 'dark' });
await press(page, 'Help');
await savePicture(page, 'help-wide-dark');
// The console lists what the browser refused to the page in the frame.
stranger.problems = stranger.problems.filter((problem) => !/sandbox|Permissions policy/i.test(problem));
await finish(stranger);
