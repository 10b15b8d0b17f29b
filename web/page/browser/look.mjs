// Looks at pages in Chromium and prints what is wrong with them, a line each.
// Usage: node look.mjs CHROMIUM PAGES [FOLDER]
// PAGES is JSON: {base, signIn: {email, password}, pages: [{name, path, signedIn, has}]}, where
// base is the address of the server, and has is a selector of what the page must show. Files
// come from hosts in allowed. Pictures of all pages are stored in FOLDER, if there is one.
import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

// An import would first read all of Playwright for the names of its exports, for a third of a second.
const { chromium } = createRequire(import.meta.url)('playwright-core');

const [chromiumPath, description, folder] = process.argv.slice(2);
const { base, allowed, signIn, pages } = JSON.parse(description);
const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const wide = { viewport: { width: 1280, height: 800 } };
const phone = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };
const screens = { light: wide, 'phone-dark': { ...phone, colorScheme: 'dark' } };
if (folder) {
  await mkdir(folder, { recursive: true });
  Object.assign(screens, { dark: { ...wide, colorScheme: 'dark' }, 'phone-light': phone });
}

const browser = await chromium.launch({
  executablePath: chromiumPath,
  args: ['--no-sandbox', '--enable-unsafe-swiftshader'],
});
for (const [screen, options] of Object.entries(screens)) {
  for (const signedIn of [false, true]) {
    const context = await browser.newContext(options);
    if (signedIn) await signInto(context);
    for (const page of pages.filter((page) => (page.signedIn ?? false) === signedIn)) await look(context, screen, page);
    await context.close();
  }
}
await browser.close();
console.log('looked');

// signInto signs in as a person does.
async function signInto(context) {
  const page = await context.newPage();
  await page.goto(`${base}/login`);
  await page.getByLabel('E-mail address').fill(signIn.email);
  await page.getByLabel('Password').fill(signIn.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/console');
  await page.close();
}

// compose types with an input method: the gallery is searched once, for what the method has made of it.
async function compose(page, wrong) {
  const searches = [];
  page.on('request', (request) => {
    const sought = new URL(request.url()).searchParams.get('q');
    if (sought !== null) searches.push(sought);
  });
  const type = (value, event) =>
    page.locator('#q').evaluate(
      (input, { value, event }) => {
        input.value = value;
        const made =
          event === 'input' ? new InputEvent(event, { isComposing: true, bubbles: true }) : new CompositionEvent(event, { bubbles: true });
        input.dispatchEvent(made);
        return new Promise((resolve) => setTimeout(resolve, 300)); // a timer that starts later than the one of the search
      },
      { value, event },
    );
  await type('\u304d\u308b\u3093', 'input');
  await Promise.all([page.waitForResponse((response) => response.url().includes('q=')), type('Kiln', 'compositionend')]);
  if (searches.join() !== 'Kiln') wrong(`with an input method it searches ${searches}`);
}

// turn points at a picture, which loads its turntable and moves, except on a touch screen, and where somebody
// wants no motion. No other card loads its own.
async function turn(page, points, wrong) {
  const loaded = () =>
    page.evaluate(() => performance.getEntriesByType('resource').filter(({ name }) => name.includes('turntable')).length);
  const card = page.locator('.card:has(.turn)').first();
  const strip = card.locator('.turn img');
  if ((await loaded()) > 0) wrong('a turntable is loaded before anybody points at it');
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await card.hover();
  if (await strip.isVisible()) wrong('a picture moves although nothing should');
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  if (points) {
    await page.waitForFunction((image) => image.complete && image.naturalWidth > 0, await strip.elementHandle());
    const [frame, shown] = await Promise.all([strip.boundingBox(), card.boundingBox()]);
    const high = frame.height / 24 / (frame.width / shown.width);
    if (Math.abs(high - shown.height) > 1) wrong(`a frame is ${high} pixels high on a card of ${shown.height}`);
    if ((await strip.evaluate((image) => image.getAnimations().length)) !== 1) wrong('the turntable does not move');
    await page.mouse.move(0, 0);
    await strip.waitFor({ state: 'hidden' });
    await page.locator('.skip').focus();
    while ((await page.locator('.card:has(.turn) .cover:focus').count()) === 0) await page.keyboard.press('Tab');
    await page.locator('.cover:focus .turn img').waitFor();
  } else if (await strip.isVisible()) wrong('a picture moves on a touch screen');
  const count = await loaded();
  if (count > (points ? 2 : 0)) wrong(`loads ${count} turntables`);
  await page.evaluate(() => document.activeElement.blur());
}

// look opens a page and prints what is wrong with it.
async function look(context, screen, { name, path, has }) {
  const page = await context.newPage();
  const wrong = (text) => console.log(`${name}, ${screen}: ${text}`);
  page.on('pageerror', (error) => wrong(`error: ${error.message}`));
  page.on('console', (message) => {
    const ofPage = message.location().url === base + path; // the page itself answers 404 or 403
    if (message.type() === 'error' && !ofPage) wrong(`console: ${message.text()} ${message.location().url}`);
  });
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol.startsWith('http') && origin !== base && !allowed.includes(origin)) wrong(`loads ${request.url()}`);
  });
  await page.goto(base + path, { waitUntil: 'load', timeout: 180_000 });
  if ((await page.locator(has).count()) === 0) wrong(`there is no ${has}`);
  const beyond = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  if (beyond > 0) wrong(`is ${beyond} pixels too wide`);
  await page.evaluate(axe);
  const violations = await page.evaluate(
    async (values) => (await window.axe.run(document, { runOnly: values, resultTypes: ['violations'] })).violations,
    rules,
  );
  for (const violation of violations) {
    wrong(`${violation.id}: ${violation.nodes.map((node) => `${node.target.join(' ')} (${node.failureSummary})`).join(', ')}`);
  }
  if (name === 'gallery' || name === 'person') await turn(page, screen === 'light', wrong);
  if (name === 'gallery') await compose(page, wrong);
  if (folder) await page.screenshot({ path: `${folder}/${name}-${screen}.png`, fullPage: true, timeout: 120_000 });
  await page.close();
}
