// Annotations, tours and camera paths guide visitors, by keyboard, on a phone, and by themselves.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { accessible, call, currentView, eventually, finish, given, open, press, query, savePicture, upload, view, visitor } from './browser.mjs';
import { edit, owner } from './owner.mjs';

const put = (id, type, data, key) => call('POST', `/v1/spaces/${given.space}/entities`, { entity_id: id, entity_type: type, entity_data: data, ...(key && { resource_key: key }) });
const harmful = '# About\n\nA **bold** word, [a page](https://example.org/), [a script](javascript:alert(1)), <img src=x onerror="alert(1)">.\n\n- one\n- two\n\n![far](https://elsewhere.example/x.png)';
const { files: { nodes } } = await query('{ files { nodes { resourceKey url } } }');
const imageURL = nodes.find(({ resourceKey }) => resourceKey === given.picture).url;
const camera = { position: [0, 1.6, 6], target: [0, 1.5, 0] };
await put('fountain', 'AnnotationEntity', { title: 'Fountain', position: [0, 1.5, 0], text: harmful, link: 'javascript:alert(2)', camera, imageURL });
await put('bench', 'AnnotationEntity', { title: 'Bench', position: [2, 0.5, 0], text: 'Made of oak.', link: 'https://example.org/oak' });
await put('tour', 'TourEntity', { title: 'Around', stops: [
  { annotation: 'fountain', seconds: 0.5, flight: 0.5 }, { camera: { position: [5, 1.6, 0], target: [0, 1.5, 0] }, seconds: 60, flight: 0.5 },
] });

// Without motion, nothing moves by itself. A marker is a button.
const still = await visitor({ reducedMotion: 'reduce' });
const { page } = still;
await open(page, given.space, view('fly', [0, 1.5, 5], 0));
const marker = page.getByRole('button', { name: 'Annotation 1: Fountain' });
await marker.press('Enter');
const card = page.getByRole('complementary', { name: 'Fountain' });
await card.getByRole('listitem').first().waitFor();
assert.equal(await card.locator('.text img, script').count(), 0, 'nothing of HTML, and no picture of elsewhere');
assert.deepEqual(await card.getByRole('link').evaluateAll((links) => links.map(({ href, rel }) => [new URL(href).host, rel])),
  [['example.org', 'noopener noreferrer nofollow ugc'], ['elsewhere.example', 'noopener noreferrer nofollow ugc']]);
await card.getByRole('img', { name: 'Fountain' }).waitFor();
assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Fountain');
await accessible(page);
await savePicture(page, 'annotation');
await card.getByRole('button', { name: 'Next' }).click();
await page.getByRole('complementary', { name: 'Bench' }).waitFor();
await page.keyboard.press('Escape');
assert.equal(await page.locator('#scene .annotation').isVisible(), false);

// A tour, and its stops. Each flight is a cut.
await page.getByRole('group', { name: 'Tour: Around' }).getByRole('button', { name: 'Play' }).click();
await card.waitFor();
await eventually('the second stop', () => currentView(page), ({ eye }) => Math.abs(eye[0] - 5) < 0.01);
await accessible(page);
await savePicture(page, 'tour');
await page.getByRole('button', { name: 'Pause' }).click();
await page.getByRole('button', { name: 'Previous' }).click();
await card.waitFor();
await page.getByRole('button', { name: 'End' }).click();

// Contents lists them, and a link opens one.
await press(page, 'Contents');
for (const name of ['Look at Fountain', 'Look at Bench', 'Look at Around']) await page.getByRole('button', { name }).waitFor();
await page.getByRole('button', { name: 'Look at Bench' }).click();
await page.getByRole('complementary', { name: 'Bench' }).waitFor();

// An intro plays by itself, and a key skips it.
const key = (frameNumber, x) => ({ id: `k${frameNumber}`, frameNumber, keyframeData: { x, y: 1.6, z: 6 } });
const path = { id: 'intro', data: { fps: 24, entities: { 'main-camera': { position: { type: 'vec3', keyframes: [key(0, -3), key(24_000, 3)] }, fov: { type: 'number', keyframes: [] } } }, markers: [] } };
await put('intro', 'UserModelEntity', { displayName: 'Intro flight', autoPlay: true }, await upload('intro.path', 'application/json', Buffer.from(JSON.stringify(path))));
const phone = await visitor({ colorScheme: 'dark', viewport: { width: 390, height: 700 } });
await open(phone.page, given.space);
await phone.page.getByRole('button', { name: 'Skip' }).waitFor();
await eventually('the flight', () => currentView(phone.page), ({ eye }) => Math.abs(eye[0] + 3) < 1 && Math.abs(eye[2] - 6) < 0.01);
await phone.page.locator('#scene canvas').press('Escape');
await phone.page.getByRole('button', { name: 'Skip' }).waitFor({ state: 'detached' });
await open(phone.page, given.space, '#annotation=fountain');
await phone.page.getByRole('complementary', { name: 'Fountain' }).getByRole('listitem').first().waitFor();
await accessible(phone.page);
await savePicture(phone.page, 'annotation-phone-dark');

// In the low frame of an article, the card has room for its text above the bar of the tour, and all of it can be reached.
const frame = await visitor({ viewport: { width: 480, height: 270 }, reducedMotion: 'reduce' });
await open(frame.page, `embed/${given.space}`, '#annotation=fountain');
const low = frame.page.getByRole('complementary', { name: 'Fountain' });
await low.getByRole('listitem').first().waitFor();
const whole = await low.boundingBox();
assert.ok(whole.y >= 0 && whole.y + whole.height <= 270, `got a card of ${whole.height} at ${whole.y}`);
for (const part of [low.getByRole('listitem').first(), low.getByRole('button', { name: 'Copy link' })]) {
  await part.scrollIntoViewIfNeeded();
  const [{ y, height }, head] = [await part.boundingBox(), await low.locator('header').boundingBox()];
  assert.ok(y >= head.y + head.height - 1 && y + height <= whole.y + whole.height + 1, `got ${y} to ${y + height} in a card from ${head.y + head.height} to ${whole.y + whole.height}`);
}
await accessible(frame.page);
await savePicture(frame.page, 'annotation-low');

// The owner makes an annotation by a click on the surface, and a tour of views.
const author = await owner();
const editing = author.page;
const panel = await edit(editing, 'Edit', view('fly', [0, 0, 3], 0));
const entities = async () => (await call('GET', `/v1/spaces/${given.space}/entities`)).data.entities;
await panel.getByRole('button', { name: 'Add an annotation' }).click();
await editing.mouse.click(640, 370); // the cube is in the middle of the view
await panel.getByRole('textbox', { name: 'Title' }).fill('On the cube');
await panel.getByRole('textbox', { name: 'Text' }).fill('Made *here*.');
await panel.getByRole('checkbox', { name: 'Opens when' }).check();
const made = await eventually('the annotation', async () => (await entities()).find(({ entity_data: data }) => data.title === 'On the cube'), (one) => one?.entity_data.autoOpen === true);
assert.equal(made.entity_type, 'AnnotationEntity');
assert.equal(made.entity_data.text, 'Made *here*.');
const [x, y, z] = made.entity_data.position;
assert.ok(Math.abs(z - 0.5) < 0.05 && Math.abs(x) < 0.1 && y > 0 && y < 0.5, `on the front of the cube: got ${[x, y, z]}`);
await savePicture(editing, 'annotation-edited');
await panel.getByRole('button', { name: 'Add a tour' }).click();
await panel.getByRole('button', { name: 'Add this view' }).click();
await panel.getByRole('combobox', { name: 'Add an annotation' }).selectOption({ label: 'On the cube' });
const tour = await eventually('the tour', async () => (await entities()).filter(({ entity_type: type }) => type === 'TourEntity').at(-1), ({ entity_data: data }) => data.stops.length === 3);
assert.equal(tour.entity_data.stops[2].annotation, made.entity_id);
await accessible(editing);
await savePicture(editing, 'tour-edited');

// The space leaves as settings of SuperSplat's viewer, and takes some.
const [saved] = await Promise.all([editing.waitForEvent('download'), panel.getByRole('button', { name: 'Save for SuperSplat' }).click()]);
assert.equal(saved.suggestedFilename(), 'settings.json');
const settings = JSON.parse(await readFile(await saved.path(), 'utf8'));
assert.equal(settings.version, 2);
assert.deepEqual(settings.annotations.map(({ title }) => title), ['Fountain', 'Bench', 'On the cube']);
// The path that plays by itself is the track that the viewer plays, and the tours follow.
assert.equal(settings.startMode, 'animTrack');
assert.deepEqual(settings.animTracks.slice(0, 2).map(({ name, keyframes }) => [name, ...keyframes.values.position.slice(0, 3)]),
  [['Intro flight', -3, 1.6, 6], ['Around', ...camera.position]]);
settings.annotations[0].title = 'The fountain';
settings.annotations.push({ position: [1, 1, 1], title: 'Taken', text: 'From *elsewhere*.', camera: settings.annotations[0].camera });
const choose = async (content) => {
  const [chooser] = await Promise.all([editing.waitForEvent('filechooser'), panel.getByRole('button', { name: 'Take settings.json' }).click()]);
  await chooser.setFiles({ name: 'settings.json', mimeType: 'application/json', buffer: Buffer.from(content) });
};
await choose('{"theme": "dark"}');
await panel.getByText('not settings of SuperSplat').waitFor();
await choose('no JSON');
await panel.getByText('no settings file').waitFor();
await choose(JSON.stringify(settings));
await panel.getByText('Taken: 4 annotations').waitFor();
await editing.getByRole('button', { name: 'Annotation 4: Taken' }).waitFor(); // without a reload
await editing.getByRole('button', { name: 'Annotation 1: The fountain' }).waitFor();
await accessible(editing);
await savePicture(editing, 'viewer-settings');
await finish(still, phone, frame, author);
