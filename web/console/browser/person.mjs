// A person in Chromium who has made the first account of a server.
import { chromium } from './chromium.mjs';

// start opens the console of a server without accounts. The page's errors are given to wrong.
export async function start(base, wrong) {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] });
  process.once('SIGINT', () => void browser.close().finally(() => process.exit(1)));
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en', reducedMotion: 'reduce' });
  context.setDefaultTimeout(180_000); // the machine may be busy
  context.on('weberror', (error) => wrong(`error: ${error.error().message}`));
  const page = await context.newPage();
  await page.goto(base);
  await page.getByLabel('E-mail address').fill('ada@example.com');
  await page.getByLabel('Name').fill('Ada');
  await page.getByLabel('Password').fill('correct horse battery');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${base}/console`);
  await page.getByText('Your first space starts here').waitFor();
  return { browser, context, page };
}

// ask sends a document with the session of the page, but past the page, whose cache does not notice.
export async function ask(context, base, query, variables = {}) {
  const response = await context.request.post(`${base}/graphql`, { data: { query, variables }, headers: { Origin: base } });
  const { data, errors } = await response.json();
  if (errors) throw new Error(`${query}: ${JSON.stringify(errors)}`);
  return data;
}
