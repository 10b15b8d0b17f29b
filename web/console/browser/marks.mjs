// Waits for the marks of the navigation, and prints what is wrong, a line each.
// Usage: node marks.mjs BASE [PICTURES]
// BASE is the address of a server without accounts; the first one is an operator.
import { look } from './look.mjs';
import { ask, start } from './person.mjs';

const [base, pictures] = process.argv.slice(2);
const wrong = (text) => console.log(text);
const { browser, context, page } = await start(base, wrong);
const run = (query, variables) => ask(context, base, query, variables);
const link = (name) => page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name, exact: true });

const space = await publish('Hall');
const attic = await publish('Attic');
await page.reload();
await link('Operator').waitFor();
// Robots are not counted, and the headless browser says that it is one.
const stranger = await browser.newContext({ userAgent: (await page.evaluate(() => navigator.userAgent)).replace('Headless', '') });
for (const { id } of [space, attic])
  await ask(stranger, base, `mutation ($id: ID!) { reportSpace(input: { spaceId: $id, reason: SPAM }) { reported } }`, { id });
await page.evaluate(() => dispatchEvent(new Event('focus'))); // the person comes back to the page
await link('Operator 2 spaces with open reports').waitFor();
await closeReports();
await showVisit();
await run(`mutation ($id: ID!) { takeDownSpace(input: { spaceId: $id, reason: SPAM, text: "" }) { space { id } } }`, { id: space.id });
await link('Activity 1 new notification').waitFor(); // without a reload
await look(page, 'marks', { wrong, pictures });
await link('Activity 1 new notification').press('Enter');
await link('Activity').waitFor();
await link('Operator').waitFor(); // the space that was taken down has no open reports
await page.reload();
await link('Activity').waitFor();
await browser.close();
console.log('done');

// publish makes a Public space.
async function publish(title) {
  const { space } = (
    await run(`mutation ($title: String!) { createSpace(input: { title: $title, privacy: PUBLIC }) { space { id spaceId url } } }`, {
      title,
    })
  ).createSpace;
  return space;
}

// closeReports closes the reports about the attic: the mark follows at once.
async function closeReports() {
  await link('Operator 2 spaces with open reports').press('Enter');
  await page.getByRole('navigation', { name: 'Operator' }).getByRole('link', { name: 'Spaces' }).press('Enter');
  await page
    .getByRole('main')
    .getByRole('listitem')
    .filter({ hasText: 'Attic' })
    .getByRole('button', { name: 'Close the reports' })
    .press('Enter');
  await link('Operator 1 space with open reports').waitFor();
}

// showVisit visits the space while its page is open: the page shows it when the person comes back.
async function showVisit() {
  await page.goto(`${base}/console/spaces/${space.spaceId}`);
  await page.getByText('0 visits').waitFor();
  const visitor = await stranger.newPage();
  await visitor.goto(space.url);
  while (!(await run(`query ($id: ID!) { space(id: $id) { visitCount } }`, { id: space.id })).space.visitCount);
  await visitor.close();
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await page.getByText('1 visit', { exact: true }).waitFor();
  await page.locator('#statistics').getByRole('cell', { name: '1', exact: true }).first().waitFor();
}
