// Looks at a page for the scenarios: axe in both themes, and the width of a phone in each language.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { visit } from './routes.mjs';

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const wide = { width: 1280, height: 800 };
const phone = { width: 360, height: 740 };

// look reports what is wrong with what a page shows, and stores pictures of it in the folder, if one is
// given. The console is also looked at in German; the sign-in pages follow the browser's language.
export async function look(page, name, { wrong, pictures }) {
  visit(page);
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe); // the views of the console are one document
  for (const colorScheme of ['dark', 'light']) {
    await page.emulateMedia({ colorScheme });
    const violations = await page.evaluate(
      async (values) => (await window.axe.run(document, { runOnly: values, resultTypes: ['violations'] })).violations,
      rules,
    );
    for (const { id, nodes } of violations) {
      wrong(`${name}, ${colorScheme}: ${id}: ${nodes.map((node) => `${node.target.join(' ')} (${node.failureSummary})`).join(', ')}`);
    }
    await shoot(page, `${name}-${colorScheme}`, pictures);
  }
  await checkPhone(page, name, { wrong, pictures });
  const chosen = await page.evaluate(() => document.documentElement.lang);
  if (chosen === 'de' || !(await choose(page, 'de'))) return;
  await shoot(page, `${name}-german`, pictures);
  await checkPhone(page, `${name}-german`, { wrong, pictures });
  await choose(page, chosen);
}

// checkPhone reports a page that is too wide for a phone.
async function checkPhone(page, name, { wrong, pictures }) {
  await page.setViewportSize(phone);
  const beyond = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  if (beyond > 0) wrong(`${name} is ${beyond} pixels too wide for a phone`);
  await shoot(page, `${name}-phone`, pictures);
  await page.setViewportSize(wide);
}

// choose chooses a language of the console, even while a dialog is open, and reports whether the
// page has the choice.
export async function choose(page, language) {
  const has = await page.evaluate((language) => {
    const select = document.querySelector('footer select');
    if (!select) return false;
    select.value = language;
    select.dispatchEvent(new Event('change', { bubbles: true }));
    return true;
  }, language);
  if (has) await page.waitForFunction((language) => document.documentElement.lang === language, language);
  return has;
}

// shoot stores a picture of the whole page, or of the window while a dialog is open.
async function shoot(page, name, pictures) {
  if (!pictures) return;
  await mkdir(pictures, { recursive: true });
  await page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished)));
  const fullPage = await page.evaluate(() => !document.querySelector('dialog[open]'));
  const scrolled = await page.evaluate(() => {
    const { scrollY } = window;
    scrollTo(0, 0);
    return scrollY;
  });
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage });
  await page.evaluate((y) => scrollTo(0, y), scrolled);
}

// storeWebP stores what the page shows, for the documents.
export async function storeWebP(page, path) {
  await page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished)));
  const png = (await page.screenshot()).toString('base64');
  const webp = await page.evaluate(async (png) => {
    const image = await createImageBitmap(new Blob([Uint8Array.from(atob(png), (c) => c.charCodeAt(0))]));
    const canvas = new OffscreenCanvas(image.width, image.height);
    canvas.getContext('2d').drawImage(image, 0, 0);
    const blob = await canvas.convertToBlob({ type: 'image/webp', quality: 0.8 });
    return [...new Uint8Array(await blob.arrayBuffer())];
  }, png);
  await writeFile(path, Uint8Array.from(webp));
}
