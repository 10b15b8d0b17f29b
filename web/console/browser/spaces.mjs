// The part of the scenario about one space: its privacy, its history and its end.

// changePrivacy makes the space public and private again.
export async function changePrivacy({ page, base, button, look }) {
  await page.goto(`${base}/console`);
  await page.getByRole('link', { name: 'Hall', exact: true }).click();
  await page.getByLabel('Title').fill('The great hall');
  await button('Save').click();
  await page.getByRole('heading', { name: 'The great hall', level: 1 }).waitFor();
  await page.getByRole('radio', { name: /^Public/ }).click();
  await page.getByRole('textbox', { name: 'Embed code' }).waitFor();
  for (const [name, kind] of [
    ['Hall.zip', 'Capture'],
    ['plan.png', 'Picture'],
  ]) {
    await page.getByRole('row').filter({ hasText: name }).getByRole('cell', { name: kind, exact: true }).waitFor();
  }
  await look('space');
  await button('Undo').click();
  await page.getByText('The space is private: its own address works only for you.').waitFor();
}

// useHistory adds a gate, and compares, names and restores a version.
export async function useHistory({ page, button, look }) {
  const dialog = page.getByRole('dialog');
  await button('Add a gate…').press('Enter');
  await dialog.getByLabel('Title').fill('Way out');
  await dialog.getByRole('radio', { name: 'A web page' }).check();
  await dialog.getByLabel('Address', { exact: true }).fill('javascript:alert(1)');
  await page.getByText('The address must start with https:// or http://.').waitFor();
  await dialog.getByLabel('Address', { exact: true }).fill('https://example.com/garden');
  await page.getByText('Leads to example.com.').waitFor();
  await look('gate');
  await dialog.getByLabel('Address', { exact: true }).press('Enter');
  await page.getByRole('button', { name: 'Edit Way out' }).waitFor();
  await page
    .getByRole('button', { name: /^Name version/ })
    .first()
    .press('Enter');
  await page.getByLabel('Name of the version').fill('With a gate');
  await page.keyboard.press('Enter');
  await page.getByText('With a gate').waitFor();
  await page
    .getByRole('button', { name: /^Compare version/ })
    .first()
    .press('Enter');
  await page.getByText('Created', { exact: true }).first().waitFor();
  await page
    .locator('dt')
    .filter({ hasText: /^Way out\s· Gate$/ })
    .waitFor();
  await look('history');
  await page
    .getByRole('button', { name: /^Restore version/ })
    .first()
    .press('Enter');
  await look('restore');
  await dialog.getByRole('button', { name: 'Restore' }).press('Enter');
  await page.getByText(/^The space is already the same as version/).waitFor();
}

// openSpace opens the space from the list.
export async function openSpace({ page, base }) {
  await page.goto(`${base}/console`);
  await page.getByRole('link', { name: 'The great hall', exact: true }).click();
  await page.getByRole('heading', { name: 'The great hall', level: 1 }).waitFor();
}

// deleteEverything deletes the space by its name, and a file.
export async function deleteEverything({ page, base, button, look, wrong }) {
  await button('Delete…').click();
  const forever = button('Delete permanently');
  if (await forever.isEnabled()) wrong('the space can be deleted before its name is typed');
  await look('delete');
  await page.getByRole('dialog').getByRole('textbox').fill('The great hall');
  await forever.click();
  await page.getByRole('heading', { name: 'Your first space starts here' }).waitFor();
  await page.goto(`${base}/console/files`);
  const capture = page.getByRole('link', { name: /^hall/i });
  const name = await capture.textContent();
  await capture.click();
  await button('Delete…').click();
  await page.getByRole('dialog').getByRole('textbox').fill(name);
  await forever.click();
  await page.waitForURL(`${base}/console/files`);
  await page.getByRole('link', { name: 'plan.png' }).waitFor();
  if (await capture.count()) wrong('the deleted file is still in the list');
}
