// A space whose files are in a bucket: the browser loads them from there, and uploads one to it.

import { awaitColour, eventually, finish, given, goTo, open, query, savePicture, view, visitor } from './browser.mjs';
import { awaitEntities, owner } from './owner.mjs';

const stranger = await visitor({}, [given.bucket]);
const { page } = stranger;
const middle = [0.5, 0.45];

await open(page, given.space, view('fly', [2, 1.5, 1], 0));
await awaitColour(page, middle, [255, 0, 255]);
await goTo(page, view('fly', [-2, 1.5, 1], 0));
await awaitColour(page, middle, [0, 200, 200]);

// A capture, of which the stranger sees the red wall, and its collision.
await goTo(page, view('fly', [0, 1.6, 100], -90));
await eventually('the red wall', () => page.locator('#scene canvas').getAttribute('data-splats'), (count) => Number(count) > 0);
await awaitColour(page, middle, [230, 26, 26], 60);
await page.getByRole('button', { name: 'Walk' }).waitFor();
await savePicture(page, 'bucket');

// A plugin runs where its owner allows it.
const document = 'mutation($id: ID!) { updateSpace(input: { spaceId: $id, pluginsForVisitors: true }) { space { id } } }';
await query(document, { id: given.space });
await page.getByRole('heading', { name: 'Hello from' }).waitFor();

// The owner uploads a file.
const me = await owner({}, [given.bucket]);
await open(me.page, given.space, view('fly', [0, 1.5, 3], 0));
await me.page.getByRole('button', { name: 'Edit' }).click();
const panel = me.page.getByRole('complementary', { name: 'Edit' });
const [chooser] = await Promise.all([me.page.waitForEvent('filechooser'), panel.getByRole('button', { name: 'Add files' }).click()]);
const before = (await awaitEntities('all', (ids) => ids.length >= 4)).length;
await chooser.setFiles({ name: 'second.png', mimeType: 'image/png', buffer: Buffer.from(given.picture, 'base64') });
await awaitEntities('the file that was sent', (ids) => ids.length === before + 1);
await finish(stranger, me);
