// Signs in and up through an OpenID Connect provider, connects and disconnects it in the console, changes the address of the account, and prints what is wrong, a line each.
// Usage: node identity.mjs BASE MAILS EMAIL PASSWORD [PICTURES]
// BASE is the address of a server with a provider and the account EMAIL, which sends mail. The provider
// asks for an address and calls it verified. MAILS/ADDRESS responds with the link in the next mail to
// ADDRESS. Pictures are stored in PICTURES, if it is there.
import { chromium } from './chromium.mjs';
import { look } from './look.mjs';

const [base, mails, email, password, pictures] = process.argv.slice(2);
const wrong = (text) => console.log(text);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] });
process.once('SIGINT', () => void browser.close().finally(() => process.exit(1)));
const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en', reducedMotion: 'reduce' });
context.setDefaultTimeout(180_000); // the machine may be busy
context.on('weberror', (error) => wrong(`error: ${error.error().message}`));
const page = await context.newPage();
page.on('console', (message) => {
  // The script leaves pages while their socket connects.
  if (message.text().includes('closed before the connection is established')) return;
  if (message.location().url.startsWith(`${base}/account/email?`)) return; // a link that ended is not found
  if (['error', 'warning'].includes(message.type()) && page.url().startsWith(base))
    wrong(`console: ${message.text()} ${message.location().url}`);
});
const button = (name) => page.getByRole('button', { name, exact: true });
const dialog = page.getByRole('dialog');
const identities = page.locator('section', { hasText: 'Other ways to sign in' });
const disconnect = identities.getByRole('button', { name: /^Disconnect: http/ });

await signInByPassword(password);
if ((await disconnect.count()) > 0) wrong('an identity is connected before the first sign-in with it');
await connectFromAccount();
await signOut();
await signInConnects();
await disconnectFromAccountWithPassword();
await signUp();
await keepOnlySignIn();
await setPasswordAndDisconnect();
await changeEmail();
await browser.close();
console.log('done');

async function signInByPassword(words, address = email) {
  await page.goto(`${base}/login?next=/console/account`);
  await page.getByLabel('E-mail address').fill(address);
  await page.getByLabel('Password').fill(words);
  await page.keyboard.press('Enter');
  await shown();
}

// signInByProvider signs in as a person of the provider.
async function signInByProvider(address) {
  await page.goto(`${base}/login?next=/console/account`);
  await page.getByRole('link', { name: /^Continue with / }).press('Enter');
  await page.getByLabel('Address at the provider').fill(address);
  await page.keyboard.press('Enter');
  await shown();
}

// shown waits for the account.
async function shown() {
  await page.waitForURL(`${base}/console/account`);
  await page.getByText('This browser', { exact: true }).waitFor();
}

async function signOut() {
  await button('Sign out').click();
  await page.waitForURL((url) => !url.pathname.startsWith('/console'));
}

// connectFromAccount connects an identity with another address while the person is signed in, after the
// password, and disconnects it.
async function connectFromAccount() {
  const connect = identities.getByRole('button', { name: /^Connect / });
  await connect.press('Enter');
  await dialog.getByLabel('Your password').fill('wrong horse');
  await page.keyboard.press('Enter');
  await dialog.getByText('The password is wrong.').waitFor();
  await look(page, 'identity-connect', { wrong, pictures });
  await dialog.getByLabel('Your password').fill(password);
  await page.keyboard.press('Enter');
  await page.getByLabel('Address at the provider').fill('ada@work.example');
  await page.keyboard.press('Enter');
  await shown();
  await page.getByText('External provider connected').first().waitFor();
  await signOut();
  await signInByProvider('ada@work.example');
  await page.getByText(email).first().waitFor();
  await disconnectByPassword();
}

// disconnectByPassword disconnects the identity of the account.
async function disconnectByPassword(words = password) {
  await disconnect.press('Enter');
  await dialog.getByLabel('Your password').fill(words);
  await page.keyboard.press('Enter');
  await disconnect.waitFor({ state: 'detached' });
}

// signInConnects signs in to the account that has the provider's address, which connects the identity.
async function signInConnects() {
  await signInByProvider(email);
  await page.getByText(email).first().waitFor();
  await disconnect.waitFor();
  await page.getByText('External provider connected').first().waitFor();
  await look(page, 'identity', { wrong, pictures });
}

// disconnectFromAccountWithPassword disconnects the identity by the password, and connects it again.
async function disconnectFromAccountWithPassword() {
  await disconnect.press('Enter');
  await dialog.getByLabel('Your password').fill('wrong horse');
  await page.keyboard.press('Enter');
  await dialog.getByText('The password is wrong.').waitFor();
  await look(page, 'identity-disconnect', { wrong, pictures });
  await dialog.getByLabel('Your password').fill(password);
  await page.keyboard.press('Enter');
  await disconnect.waitFor({ state: 'detached' });
  await signOut();
  await signInByPassword(password);
  if ((await disconnect.count()) > 0) wrong('the identity is still connected');
  await signOut();
  await signInByProvider(email);
  await disconnect.waitFor();
  await signOut();
}

// signUp makes an account by a sign-in with another address. It has no password.
async function signUp() {
  await signInByProvider('eve@example.com');
  await page.getByText('eve@example.com').first().waitFor();
  await disconnect.waitFor();
  if ((await page.getByLabel('Current password').count()) > 0) wrong('an account without a password is asked for one');
}

// keepOnlySignIn is refused to disconnect the only way to sign in.
async function keepOnlySignIn() {
  await disconnect.press('Enter');
  await dialog.getByRole('button', { name: 'Disconnect', exact: true }).press('Enter');
  await dialog.getByText('It is your only way to sign in. Set a password first.').waitFor();
  await look(page, 'identity-only', { wrong, pictures });
  await page.keyboard.press('Escape');
  await disconnect.waitFor();
}

// setPasswordAndDisconnect leaves the account with a password alone.
async function setPasswordAndDisconnect() {
  await page.getByLabel('New password').fill("eve's own password");
  await page.keyboard.press('Enter');
  await page.getByLabel('Current password').waitFor();
  await disconnectByPassword("eve's own password");
  await signOut();
  await signInByPassword("eve's own password", 'eve@example.com');
}

// changeEmail asks for a new address, cancels the change, and asks for another one, whose second link changes it.
async function changeEmail() {
  const section = page.locator('section', { hasText: 'New address' });
  const waiting = section.getByRole('group');
  const linkTo = async (address) => (await fetch(`${mails}/${address}`)).text();
  const move = async (address) => {
    await page.getByLabel('New address').fill(address);
    await section.getByLabel('Your password').fill("eve's own password");
    await page.keyboard.press('Enter');
    await waiting.getByText(address).waitFor();
  };
  await move('canceled@example.com');
  await waiting.getByText('Waiting for confirmation').waitFor();
  const dead = await linkTo('canceled@example.com');
  await look(page, 'email-change', { wrong, pictures });
  await waiting.getByRole('button', { name: 'Cancel the change' }).press('Enter');
  await section.getByText('The change was canceled.').waitFor();
  await waiting.waitFor({ state: 'detached' });
  if (await page.evaluate(() => document.activeElement === document.body)) wrong('canceled the change: the focus is lost');
  await move('moved@example.com');
  const replaced = await linkTo('moved@example.com');
  await waiting.getByRole('button', { name: 'Send the link again' }).press('Enter');
  const link = await linkTo('moved@example.com');
  for (const old of [dead, replaced]) {
    await page.goto(old);
    await page.getByRole('heading', { name: 'This link does not work any more' }).waitFor();
  }
  await page.goto(link);
  await button('Confirm the address').press('Enter');
  await page.getByRole('link', { name: 'To your account' }).press('Enter');
  await shown();
  await page.getByText('moved@example.com').first().waitFor();
  if ((await waiting.count()) > 0) wrong('a change still waits after its link was opened');
}
