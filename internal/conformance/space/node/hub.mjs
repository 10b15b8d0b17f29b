// Makes the picture of a hub's room: what a visitor sees first, without the controls.

import { finish, given, open, timeout, visitor } from './browser.mjs';

const stranger = await visitor({ viewport: { width: 1280, height: 800 } });
const { page } = stranger;
await open(page, given.space);
await page.evaluate(() => {
  for (const part of document.querySelectorAll('.top, .heading, footer, #scene > :not(canvas)')) part.style.visibility = 'hidden';
});
await page.screenshot({ path: given.file, timeout });
await finish(stranger);
