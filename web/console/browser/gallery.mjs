// Looks at the gallery of the components in Chromium, and prints what is wrong, a line each.
// Usage: node gallery.mjs URL [PICTURES]
import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium } from './chromium.mjs';

const [url, pictures] = process.argv.slice(2);
const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const wrong = (text) => console.log(text);
if (pictures) await mkdir(pictures, { recursive: true });

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] });
process.once('SIGINT', () => void browser.close().finally(() => process.exit(1)));
const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en', reducedMotion: 'reduce' });
context.setDefaultTimeout(180_000); // the machine may be busy
const page = await context.newPage();
page.on('pageerror', (error) => wrong(`error: ${error.message}`));
page.on('console', (message) => {
  if (['error', 'warning'].includes(message.type())) wrong(`console: ${message.text()}`);
});
await page.goto(url);
await page.evaluate(axe);
for (const [language, save, remove] of [
  ['en', 'Save', 'Delete permanently'],
  ['de', 'Speichern', 'Endgültig löschen'],
  ['fr', 'Enregistrer', 'Supprimer définitivement'],
  ['es', 'Guardar', 'Eliminar definitivamente'],
  ['ja', '保存', '完全に削除'],
  ['zh', '保存', '永久删除'],
]) {
  await page.locator('select').first().selectOption(language);
  await page.getByRole('button', { name: save, exact: true }).waitFor();
  await look(`gallery-${language}`);
  await page.getByRole('button', { name: remove, exact: true }).last().press('Enter');
  await page.getByRole('dialog', { name: remove }).waitFor();
  await look(`gallery-${language}-dialog`);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}
await browser.close();
console.log('done');

// look checks the page in both themes, wide and narrow.
async function look(name) {
  await page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished)));
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 800 });
    const beyond = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    if (beyond > 0) wrong(`${name} is ${beyond} pixels too wide for ${width}`);
    for (const colorScheme of ['dark', 'light']) {
      await page.emulateMedia({ colorScheme });
      const violations = await page.evaluate(
        async (values) => (await window.axe.run(document, { runOnly: values, resultTypes: ['violations'] })).violations,
        rules,
      );
      for (const { id, nodes } of violations) {
        wrong(
          `${name}, ${width}, ${colorScheme}: ${id}: ${nodes.map((node) => `${node.target.join(' ')} (${node.failureSummary})`).join(', ')}`,
        );
      }
      if (pictures)
        await page.screenshot({ path: join(pictures, `${name}-${width}-${colorScheme}.png`), fullPage: !name.endsWith('dialog') });
    }
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}
