// The part of the scenario about the views of an operator.
import { choose } from './look.mjs';
import { openSpace } from './spaces.mjs';

// operate looks at the views of an operator, and takes the space down and restores it. The
// first account is an operator.
export async function operate(scenario) {
  const { page, base, button, context, look, wrong } = scenario;
  await openSpace(scenario);
  await page.getByRole('radio', { name: /^Public/ }).click();
  const code = page.getByRole('textbox', { name: 'Embed code' });
  if (await code.evaluate((box) => box.scrollHeight > box.clientHeight)) wrong('a part of the embed code is hidden');
  const owner = await context.newPage();
  await owner.goto(page.url());
  const privacy = owner.locator('h1 + .badge');
  await privacy.filter({ hasText: 'Public' }).waitFor();
  await page.goto(`${base}/console/operator`);
  await page.getByText('ada@example.com').first().waitFor();
  await look('operator-accounts');
  const views = page.getByRole('navigation', { name: 'Operator' });
  await views.getByRole('link', { name: 'Spaces' }).press('Enter');
  await button('Take down').first().press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').selectOption('SPAM');
  await look('operator-takedown');
  await dialog.getByRole('button', { name: 'Take down' }).press('Enter');
  await button('Restore').waitFor();
  await privacy.filter({ hasText: 'Private' }).waitFor(); // the page is open, and follows
  await owner.close();
  await look('operator-spaces');
  await openSpace(scenario);
  await page.getByText('An operator took the space down').waitFor();
  await look('space-down');
  await page.goto(`${base}/console/operator/spaces`);
  await button('Restore').press('Enter');
  await button('Take down').first().waitFor();
  await views.getByRole('link', { name: 'Server' }).press('Enter');
  await page.getByText('Settings', { exact: true }).waitFor();
  for (const plot of ['Storage', 'Requests in 5 minutes']) {
    const words = await page.getByRole('figure').filter({ hasText: plot }).textContent();
    if (/now 0/.test(words)) wrong(`the plot reads "${words}", want the state of now`);
  }
  await look('operator-server');
  await views.getByRole('link', { name: 'Audit trail' }).press('Enter');
  await page.getByText('ada@example.com').first().waitFor();
  await look('operator-audit');
  await choose(page, 'de');
  await page.getByText('Privat → Öffentlich').first().waitFor();
  await choose(page, 'en');
  await openSpace(scenario);
}
