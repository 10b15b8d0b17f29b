// Makes the pictures of README.md: a space to walk in, the gallery, and the editor.

import { mkdir, writeFile } from 'node:fs/promises';
import { call, finish, given, open, timeout, view, visitor } from './browser.mjs';
import { edit, onScreen, owner } from './owner.mjs';

const screen = { viewport: { width: 1280, height: 800 } };
await mkdir(given.folder, { recursive: true });

/** Stores what a page shows as WebP. */
async function store(page, name) {
  const png = (await page.screenshot({ timeout })).toString('base64');
  const webp = await page.evaluate(async (png) => {
    const bytes = Uint8Array.from(atob(png), (c) => c.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes]));
    const canvas = new OffscreenCanvas(image.width, image.height);
    canvas.getContext('2d').drawImage(image, 0, 0);
    const blob = await canvas.convertToBlob({ type: 'image/webp', quality: 0.8 });
    return [...new Uint8Array(await blob.arrayBuffer())];
  }, png);
  await writeFile(`${given.folder}/${name}.webp`, new Uint8Array(webp));
}

/** Waits until the number of drawn Gaussians stays the same for some seconds. */
async function settled(page) {
  const end = performance.now() + timeout;
  for (let last = '', since = performance.now(); performance.now() < end && performance.now() - since < 8000;) {
    const now = await page.locator('#scene canvas').getAttribute('data-splats');
    if (now !== last) [last, since] = [now, performance.now()];
    await page.waitForTimeout(250);
  }
}

const stranger = await visitor(screen);
const { page } = stranger;
await page.goto(`${given.server}/`);
await page.locator('.card img').first().waitFor();
await page.waitForLoadState('networkidle');
await store(page, 'gallery');

await open(page, given.space, view('fly', given.eye, given.yaw, given.pitch));
await settled(page);
await store(page, 'space');

const me = await owner(screen);
const eye = [-2.2, 1.5, 9.4];
const sculpture = [-1.3, 0.75, 6.8];
await call('POST', `/v1/spaces/${given.space}/entities`, {
  entity_id: 'sculpture', resource_key: given.sculpture, entity_data: { position: sculpture, scale: 0.5 },
});
const panel = await edit(me.page, 'Edit', view('fly', eye, 0));
await settled(me.page);
await me.page.mouse.click(...await onScreen(me.page, [sculpture[0], sculpture[1] + 0.1, sculpture[2]], eye));
await panel.getByRole('heading', { name: 'sculpture.glb' }).waitFor();
await me.page.waitForTimeout(1000);
await store(me.page, 'editor');
await finish(stranger, me);
