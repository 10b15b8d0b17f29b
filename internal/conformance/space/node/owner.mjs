// The owner of the spaces, who is signed in and edits.

import { call, eventually, given, open, view, visitor } from './browser.mjs';

/** Opens a page as the owner. Its files may come from further origins. */
export async function owner(options = {}, further = []) {
  const one = await visitor({ viewport: { width: 1280, height: 800 }, ...options }, further);
  await one.page.goto(`${given.server}/login?next=/${given.space}`);
  await one.page.getByLabel(/e-mail/i).fill(given.email);
  await one.page.getByLabel(/password/i).fill(given.password);
  await one.page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await one.page.waitForURL((address) => address.pathname === `/${given.space}`);
  return one;
}

/** Opens the space in edit mode, with the view from z = 3 and a middle at x = 0. */
export async function edit(page, name = 'Edit', look = view('fly', [0, 1.5, 3], 0)) {
  await open(page, given.space, look);
  await page.getByRole('button', { name }).click();
  const panel = page.getByRole('complementary', { name });
  await panel.waitFor();
  return panel;
}

const entities = `/v1/spaces/${given.space}/entities`;

const list = async () => (await call('GET', entities)).data.entities;

/** Returns the data of an entity as REST has it; null where there is none. */
export const stored = async (id) => (await list()).find((one) => one.entity_id === id)?.entity_data ?? null;

/** Waits until REST has an entity whose data passes. */
export const awaitStored = (id, what, holds) => eventually(`${id}: ${what}`, () => stored(id), (data) => data !== null && holds(data));

/** Waits until the ids of the entities that REST has pass. */
export const awaitEntities = (what, holds) => eventually(what, async () => (await list()).map((one) => one.entity_id), holds);

export const change = (id, data) => call('PUT', `${entities}/${id}`, { entity_data: data });

/** Returns where a place of the space is on the screen. */
export async function onScreen(page, [x, y, z], eye = [0, 1.5, 3]) {
  const box = await page.locator('#scene canvas').boundingBox();
  const half = Math.tan((30 * Math.PI) / 180); // the field of view is 60 degrees high
  const depth = eye[2] - z;
  const scale = box.height / 2 / half / depth;
  return [box.x + box.width / 2 + (x - eye[0]) * scale, box.y + box.height / 2 - (y - eye[1]) * scale];
}
