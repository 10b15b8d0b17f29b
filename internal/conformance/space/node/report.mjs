// A visitor reports a space: by keyboard, on a phone in German, once a day, and not too often.

import assert from 'node:assert/strict';
import { accessible, eventually, finish, given, open, press, savePicture, visitor } from './browser.mjs';
import { owner } from './owner.mjs';

/** Opens the form of an open space by keyboard. */
const openForm = async (page, more, report) => {
  await page.getByRole('button', { name: more, exact: true }).press('Enter');
  await page.getByRole('button', { name: report }).press('Enter');
  const form = page.getByRole('dialog', { name: report });
  await form.waitFor();
  return form;
};

/** Checks that the closed box of reasons has room for each of them. */
const roomForReasons = async (form, label) => {
  const [has, needs] = await form.getByLabel(label).evaluate((select) => {
    const widths = [select.offsetWidth];
    select.style.inlineSize = 'max-content';
    widths.push(select.offsetWidth);
    select.style.inlineSize = '';
    return widths;
  });
  assert.ok(needs <= has, `the reasons need ${needs} px of ${has}`);
};

const stranger = await visitor();
const { page } = stranger;
await open(page, given.space);

// On a narrow screen the help ends above the bar.
const help = page.getByRole('complementary', { name: 'Help' });
const distance = async () => (await page.locator('#scene .toolbar').boundingBox()).y - await help.evaluate((panel) => panel.getBoundingClientRect().bottom);
await page.setViewportSize({ width: 280, height: 480 });
await press(page, 'Help');
await help.waitFor();
await eventually('the distance from the help to the toolbar', distance, (pixels) => pixels >= 0);
await page.keyboard.press('Escape');
await page.setViewportSize({ width: 480, height: 480 });

let form = await openForm(page, 'More', 'Report this space');
await roomForReasons(form, 'Reason');
await accessible(page);
await savePicture(page, 'report');
await page.keyboard.press('Escape');
assert.equal(await form.count(), 0);
assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Report this space');

// The browser asks for a reason, and for a text where the reason says nothing alone.
await page.keyboard.press('Enter');
const send = form.getByRole('button', { name: 'Send report' });
const invalid = () => form.locator(':is(select, textarea):invalid').count();
await send.press('Enter');
assert.equal(await invalid(), 1);
await form.getByLabel('Reason').selectOption('OTHER');
assert.equal(await invalid(), 1);
await form.getByLabel('What should the operators know').fill('x'.repeat(1000));
assert.equal(await invalid(), 0);
await send.press('Enter');
await form.getByText('Thank you. Your report was sent to the operators.').waitFor();
assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Close');
await accessible(page);
await page.keyboard.press('Enter');
assert.equal(await form.count(), 0);

// A second report of the same visitor is not added.
await page.getByRole('button', { name: 'Report this space' }).press('Enter');
await form.getByLabel('Reason').selectOption('SPAM');
await send.press('Enter');
await form.getByText('Your report was not added.').waitFor();
await page.keyboard.press('Escape');

// Somebody with an account, on a dark phone in German.
const other = await visitor({
  locale: 'de-DE', colorScheme: 'dark', viewport: { width: 390, height: 700 }, extraHTTPHeaders: { Authorization: `Bearer ${given.other}` },
});
await open(other.page, given.space);
const german = await openForm(other.page, 'Mehr', 'Diesen Raum melden');
await german.getByLabel('Grund').selectOption('COPYRIGHT');
await roomForReasons(german, 'Grund');
await accessible(other.page);
await savePicture(other.page, 'report-german-dark-narrow');
await german.getByRole('button', { name: 'Meldung senden' }).press('Enter');
await german.getByText('Danke. Ihre Meldung ging an die Betreiber.').waitFor();

// The rate limit. The form stays open with what was written.
const refused = () => page.evaluate(async (id) => {
  const query = 'mutation ($id: ID!) { reportSpace(input: { spaceId: $id, reason: SPAM }) { reported } }';
  const headers = { 'Content-Type': 'application/json' };
  const { errors } = await (await fetch('/graphql', { method: 'POST', headers, body: JSON.stringify({ query, variables: { id } }) })).json();
  return errors?.[0].extensions.code;
}, given.space);
await page.getByRole('button', { name: 'Report this space' }).press('Enter');
await form.getByLabel('Reason').selectOption('SPAM');
await form.getByLabel('What should the operators know').fill('Read this');
await eventually('the limit', refused, (code) => code === 'RATE_LIMITED');
await send.press('Enter');
await form.getByText(/That was too many reports\. Try again in \d+ seconds\./).waitFor();
assert.equal(await form.getByLabel('What should the operators know').inputValue(), 'Read this');
assert.ok(stranger.problems.every((problem) => problem.includes('429')), stranger.problems.join());
stranger.problems.length = 0;

// A browser without WebGL has the button as well; the owner has none.
const flat = await visitor();
await flat.page.addInitScript(() => { HTMLCanvasElement.prototype.getContext = () => null; });
await flat.page.goto(`${given.server}/${given.space}`);
await flat.page.getByRole('button', { name: 'Report this space' }).press('Enter');
await flat.page.getByRole('dialog', { name: 'Report this space' }).waitFor();
await accessible(flat.page);
await savePicture(flat.page, 'report-without-webgl');
const me = await owner();
await open(me.page, given.space);
assert.equal(await me.page.getByText('Report this space').count(), 0);
await finish(stranger, other, flat, me);
