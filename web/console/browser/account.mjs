// The part of the scenario about the account: its profile, webhooks and ways to sign in, its export and its end.
import { createHmac } from 'node:crypto';
import { choose } from './look.mjs';

// changeAccount changes the name and the password, and makes an API key, by the keyboard alone.
export async function changeAccount(scenario) {
  const { page, button, look, wrong } = scenario;
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Account' }).click();
  await page.getByText('This browser').waitFor();
  await page.getByText('Account created').waitFor();
  await page.getByLabel('Name', { exact: true }).fill('Ada Lovelace');
  await page.keyboard.press('Enter');
  await page.getByText('Saved', { exact: true }).waitFor();
  await choosePicture(scenario);
  await page.getByLabel('Current password').fill('wrong horse');
  await page.getByLabel('New password').fill('correct horse battery staple');
  await page.keyboard.press('Enter');
  await page.getByText('The password is wrong.').waitFor();
  await page.getByLabel('Current password').fill('correct horse battery');
  // The session gets a new cookie. The socket was opened with the old one, ends, and is opened again.
  const reconnected = page.waitForEvent('websocket');
  await page.keyboard.press('Enter');
  await page.getByText('The password was changed. Other browsers were signed out.').waitFor();
  await (await reconnected).waitForEvent('framereceived');
  if (await page.getByText('You are signed out.').isVisible()) wrong('the browser that changed the password is signed out');
  await button('Create a key').press('Enter');
  await page.getByText('Copy it now, and keep it secret.').waitFor();
  if (!(await page.getByRole('textbox', { name: 'Your new key' }).inputValue()).startsWith('portico_')) wrong('the new key is not shown');
  await look('account');
}

// choosePicture sets the picture of the account, which the navigation and the public page show. A
// file that is not a picture is refused in words.
async function choosePicture(scenario) {
  const { page, button, look } = scenario;
  const file = page.locator('input[type="file"][accept="image/*"]');
  await file.setInputFiles({ name: 'notes.png', mimeType: 'image/png', buffer: Buffer.from('no picture') });
  await page.getByText('The browser cannot read this file as a picture.').waitFor();
  await file.setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: await page.screenshot() });
  const shown = page.getByRole('img', { name: 'Your picture' });
  await shown.waitFor();
  await page.getByRole('navigation', { name: 'Sections' }).locator('img').waitFor();
  await page.waitForFunction((image) => image.naturalWidth === 256 && image.naturalHeight === 256, await shown.elementHandle());
  await button('Remove').first().press('Enter');
  await page.getByText('Removed.', { exact: true }).waitFor();
  await file.setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: await page.screenshot() });
  await shown.waitFor();
  await look('account-picture');
  await checkAddress(scenario);
}

// checkTools reports choices beside a search that are not in one row of equal parts on a phone.
export async function checkTools({ page, wrong }) {
  const size = page.viewportSize();
  for (const language of ['de', 'en']) {
    await choose(page, language);
    for (const width of [360, 390]) {
      await page.setViewportSize({ width, height: 740 });
      const boxes = await page.evaluate(() =>
        [...document.querySelectorAll('.tools select')]
          .map((select) => select.getBoundingClientRect())
          .map(({ top, width }) => `${Math.round(top)} ${Math.round(width)}`),
      );
      if (boxes.length < 2 || new Set(boxes).size !== 1)
        wrong(`${language}, ${width} pixels: the choices have the tops and widths ${boxes}`);
    }
  }
  await page.setViewportSize(size);
}

// checkAddress reports a part of the address that wraps within a word where the page is narrow.
async function checkAddress({ page, wrong }) {
  const size = page.viewportSize();
  await page.setViewportSize({ width: 320, height: 740 });
  const broken = await page.evaluate(() => {
    const address = [...document.querySelectorAll('dd bdi')].find(({ textContent }) => textContent === 'ada@example.com');
    const lines = (node) => {
      const range = document.createRange();
      range.selectNode(node);
      return range.getClientRects().length;
    };
    return [...address.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE && lines(node) > 1).map(({ data }) => data);
  });
  if (broken.length > 0) wrong(`the address wraps within ${broken}`);
  await page.setViewportSize(size);
}

// useWebhook adds a webhook for an address that is not public, which a test does not reach.
export async function useWebhook({ page, button, look, wrong }) {
  const dialog = page.getByRole('dialog');
  await button('Add a webhook…').press('Enter');
  await dialog.getByLabel('Address').fill('http://127.0.0.1:9/events');
  await dialog.getByRole('checkbox', { name: 'Entities changed' }).uncheck();
  await look('webhook');
  await dialog.getByLabel('Address').press('Enter');
  await page.getByText('it verifies the signatures').waitFor();
  if (!(await page.getByRole('textbox', { name: /^Secret: http/ }).inputValue()).startsWith('whsec_')) wrong('the secret is not shown');
  await page.getByRole('button', { name: /^Send a test: http/ }).press('Enter');
  await dialog.getByText('The receiver cannot be reached').waitFor();
  await look('webhook-log');
  await choose(page, 'de');
  await dialog.getByText('Der Empfänger ist nicht erreichbar').waitFor();
  await choose(page, 'en');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^Delete…: http/ }).press('Enter');
  await dialog.getByRole('textbox').fill('127.0.0.1:9');
  await button('Delete permanently').press('Enter');
  await page.getByRole('button', { name: /^Send a test: http/ }).waitFor({ state: 'hidden' });
}

// addFactors adds a passkey and one-time codes by the keyboard alone, and signs in with each.
export async function addFactors({ page, context, base, button, look, wrong }) {
  const devtools = await context.newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  const dialog = page.getByRole('dialog');
  const password = 'correct horse battery staple';
  await button('Add a passkey…').press('Enter');
  await dialog.getByLabel('Name').fill("Ada's phone");
  await dialog.getByLabel('Your password').fill(password);
  await look('passkey');
  await dialog.getByLabel('Your password').press('Enter');
  await page.getByText('Never used').waitFor();

  await button('Turn on…').press('Enter');
  await dialog.getByLabel('Your password').fill(password);
  await dialog.getByLabel('Your password').press('Enter');
  const secret = await dialog.getByRole('textbox', { name: 'Secret' }).inputValue();
  await dialog.getByRole('img', { name: 'QR code with the secret' }).waitFor();
  await look('codes');
  await dialog.getByLabel('Code from the app').fill(codeOf(secret));
  await dialog.getByLabel('Code from the app').press('Enter');
  await button('I have saved them').waitFor();
  await look('recovery');
  const recovery = await dialog.getByRole('listitem').allTextContents();
  if (recovery.length !== 10) wrong(`there are ${recovery.length} recovery codes`);
  await button('I have saved them').press('Enter');
  await look('account-factors');

  await button('Sign out').click();
  await page.goto(`${base}/login?next=/console/account`);
  await button('Sign in with a passkey').waitFor();
  await look('login');
  await page.getByLabel('E-mail address').fill('ada@example.com');
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
  await page.getByLabel('Code').fill('123456x');
  await page.keyboard.press('Enter');
  await page.getByText('The code is wrong, or was used before').waitFor();
  await look('login-code');
  await page.getByLabel('Code').fill(recovery[0]);
  await page.keyboard.press('Enter');
  await page.getByText('Recovery codes left: 9').waitFor();

  await button('Sign out').click();
  await page.goto(`${base}/login?next=/console/account`);
  await button('Sign in with a passkey').press('Enter');
  await page.getByText('Last used').waitFor();
}

// codeOf returns the one-time code of a secret now (RFC 6238).
export function codeOf(secret) {
  const bits = [...secret].map((c) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(c).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from(bits.match(/.{8}/g).map((b) => parseInt(b, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
  const mac = createHmac('sha1', key).update(step).digest();
  return String((mac.readUInt32BE(mac[19] & 15) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

// deleteAccount deletes the account, which leaves the server empty.
export async function deleteAccount({ page, base, button, look, wrong }) {
  await page.goto(`${base}/console/account`);
  const [download] = await Promise.all([page.waitForEvent('download'), button('Export everything').click()]);
  if (!/^portico-[0-9]{8}-.*\.zip$/.test(download.suggestedFilename())) wrong(`the export is called ${download.suggestedFilename()}`);
  if (await download.failure()) wrong(`the export fails: ${await download.failure()}`);
  await button('Delete the account…').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Your password').fill('correct horse battery staple');
  if (await button('Delete permanently').isEnabled()) wrong('the account can be deleted before its address is typed');
  await look('delete-account');
  await dialog.getByLabel('to confirm').fill('ada@example.com');
  await button('Delete permanently').click();
  await page.waitForURL((url) => !url.pathname.startsWith('/console'));
}
