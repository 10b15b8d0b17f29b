// Goes through the pages of sign-in, consent, errors, reset and verification by the keyboard alone, and prints what is wrong, a line each.
// Usage: node signin.mjs BASE MAILS [PICTURES]
// BASE is the address of a server without accounts that sends mail. MAILS/ADDRESS responds with the link
// in the next mail to ADDRESS. Pictures of all pages are stored in PICTURES, if it is there.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { chromium } from './chromium.mjs';
import { codeOf } from './account.mjs';
import { focusedOn } from './focus.mjs';
import { look } from './look.mjs';

const [base, mails, pictures] = process.argv.slice(2);
const timeout = 180_000; // the machine may be busy
const wrong = (text) => console.log(text);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] });
process.once('SIGINT', () => void browser.close().finally(() => process.exit(1)));
const password = 'correct horse battery',
  better = 'a better horse battery';
const site = createServer((_request, response) => response.end('The app')).listen(0, '127.0.0.1');
await new Promise((listens) => site.once('listening', listens));
const app = `http://127.0.0.1:${site.address().port}/callback`; // of the app that asks for the key
const page = await open('en');

await createAccounts();
await useKeyPage();
await confirmAddress();
await consent();
await signIn();
await resetPassword();
await enterCode();
await seeErrors();
await seeGerman();
await browser.close();
site.close();
console.log('done');

// open returns a page of a browser in a language.
async function open(locale) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale, reducedMotion: 'reduce' });
  context.setDefaultTimeout(timeout);
  const opened = await context.newPage();
  opened.on('pageerror', (error) => wrong(`error: ${error.message}`));
  return opened;
}

// walk looks at the page with axe, and tabs through it once in both themes, wide and narrow. Each
// element that can be operated has its turn, and its focus is visible.
async function walk(name) {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await look(page, `signin-${name.replaceAll(' ', '-')}`, { wrong, pictures });
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    for (const width of [1280, 320]) {
      await page.setViewportSize({ width, height: 800 });
      await tabThrough(`${name}, ${colorScheme}, ${width} pixels`);
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1280, height: 800 });
}

async function tabThrough(name) {
  await page.evaluate(() => {
    for (const element of document.querySelectorAll('[data-seen]')) delete element.dataset.seen;
  });
  for (let count = 0; count < 60; count += 1) {
    await page.keyboard.press('Tab');
    const now = await focusedOn(page);
    if (now.tag === 'BODY') continue; // behind the last element
    if (now.again) break;
    if (!now.outlined) wrong(`${name}: ${now.name} has no visible focus`);
    if (!now.inView) wrong(`${name}: ${now.name} has the focus outside of the window`);
    const contrast = await outlineContrast();
    if (contrast < 3) wrong(`${name}: the outline of ${now.name} has a contrast of ${contrast.toFixed(1)}, want 3`);
  }
  const missed = await page.evaluate(() =>
    [...document.querySelectorAll('a[href], button, input, summary')]
      .filter((element) => element.checkVisibility() && element.type !== 'hidden' && !element.dataset.seen)
      .map((element) => element.outerHTML.slice(0, 120)),
  );
  for (const element of missed) wrong(`${name}: Tab does not reach ${element}`);
}

// outlineContrast returns the contrast of the focused element's outline with what is around it (WCAG 1.4.11).
function outlineContrast() {
  return page.evaluate(() => {
    const luminance = (color) => {
      const [r, g, b] = color
        .match(/[\d.]+/g)
        .map((value) => value / 255)
        .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const around = getComputedStyle(document.activeElement.closest('main') ?? document.documentElement).backgroundColor;
    const [light, dark] = [luminance(getComputedStyle(document.activeElement).outlineColor), luminance(around)].sort((a, b) => b - a);
    return (light + 0.05) / (dark + 0.05);
  });
}

// reach presses Tab until an element has the focus.
async function reach(target) {
  await target.waitFor();
  for (let count = 0; count < 60; count += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${target}`);
}

// press reaches a button or a link by its name, and presses Enter.
async function press(role, name) {
  await reach(page.getByRole(role, { name, exact: true }));
  await page.keyboard.press('Enter');
}

// enter types into the fields of a form, and sends it with Enter.
async function enter(fields) {
  for (const [label, value] of Object.entries(fields)) {
    await reach(page.getByLabel(label, { exact: true }));
    await page.keyboard.press('Control+A');
    await page.keyboard.type(value);
  }
  await page.keyboard.press('Enter');
}

// refused waits for the message of a refusal. The wrong field has the focus.
async function refused(message, label) {
  await page.getByText(message).first().waitFor();
  const field = page.getByLabel(label, { exact: true });
  await page.waitForFunction((element) => element === document.activeElement, await field.elementHandle());
}

function heading(name) {
  return page.getByRole('heading', { level: 1, name }).waitFor();
}

// linkTo returns the link in the next mail to an address.
async function linkTo(address) {
  return (await fetch(`${mails}/${address}`)).text();
}

// signOut signs out on the page of the account.
async function signOut() {
  await page.goto(`${base}/account/key`);
  await press('button', 'Sign out');
  await page.waitForURL((url) => url.pathname !== '/account/key');
}

// createAccounts creates the first account of the server, and then another.
async function createAccounts() {
  await page.goto(base);
  await walk('welcome');
  await enter({ 'E-mail address': 'ada@example.com', Name: 'Ada', Password: 'short' });
  await refused('Password must have at least 8 characters', 'Password');
  await walk('welcome with a mistake');
  await enter({ Password: password });
  await page.waitForURL(`${base}/console`);
  await signOut();
  await page.goto(`${base}/signup?next=/account/key`);
  await walk('sign up');
  await enter({ 'E-mail address': 'ada@example.com', Name: 'Bob', Password: password });
  await refused('There is an account with this address', 'E-mail address');
  await walk('sign up with a mistake');
  await enter({ 'E-mail address': 'bob@example.com', Password: password });
  await page.waitForURL(`${base}/account/key`);
}

// useKeyPage generates the key of the account, and opens what replaces it.
async function useKeyPage() {
  await walk('no key');
  await press('button', 'Generate a key');
  await page.getByLabel('Your key').waitFor();
  await walk('key');
  await reach(page.locator('summary'));
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Revoke the key' }).waitFor();
  await walk('key and what replaces it');
}

// confirmAddress opens the link of a mail, and opens it again.
async function confirmAddress() {
  const link = await linkTo('bob@example.com');
  await page.goto(link);
  await walk('confirm the address');
  await press('button', 'Confirm the address');
  await heading('Your address is confirmed');
  await walk('confirmed the address');
  await page.goto(link);
  await heading('This link does not work any more');
  await walk('link that was used');
}

// consent cancels what an app asks for, and then allows it. It changes the account on the way.
async function consent() {
  const register = async (more) => {
    const response = await fetch(`${base}/register`, {
      method: 'POST',
      body: JSON.stringify({ client_name: 'Splat trainer', redirect_uris: [app], ...more }),
    });
    const { client_id: client } = await response.json();
    return `${base}/authorize?${new URLSearchParams({
      client_id: client,
      redirect_uri: more?.redirect_uris?.[0] ?? app,
      response_type: 'code',
      state: 'state',
      code_challenge: createHash('sha256').update('verifier').digest('base64url'),
      code_challenge_method: 'S256',
    })}`;
  };
  await page.goto(await register({ client_name: '', redirect_uris: ['http://client.example/callback'] }));
  await page.getByText('This address is not encrypted.').waitFor();
  await walk('consent for an app without a name and TLS');
  const address = await register();
  await page.goto(address);
  await walk('consent');
  await press('button', 'Cancel');
  await page.waitForURL((url) => url.href.startsWith(app) && url.searchParams.get('error') === 'access_denied');
  await page.goto(address);
  await press('button', 'Use another account');
  await page.waitForURL((url) => url.pathname === '/login');
  await enter({ 'E-mail address': 'ada@example.com', Password: password });
  await page.waitForURL(address);
  await press('button', 'Allow');
  await page.waitForURL((url) => url.href.startsWith(app) && url.searchParams.has('code'));
  await signOut();
}

// signIn signs in with a wrong password, and with a passkey that the device does not have.
async function signIn() {
  const devtools = await page.context().newCDPSession(page);
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
  await page.goto(`${base}/login`);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
  await walk('sign in');
  await press('button', 'Sign in with a passkey');
  await page.getByText('No passkey was used.').waitFor();
  const now = await focusedOn(page);
  if (now.name !== 'button Sign in with a passkey') wrong(`no passkey was used: the focus is on ${now.name}`);
  await walk('sign in without a passkey');
  await enter({ 'E-mail address': 'bob@example.com', Password: 'wrong horse battery' });
  await refused('E-mail address or password is wrong', 'E-mail address');
  await walk('sign in with a wrong password');
}

// resetPassword follows the link of a mail to a new password, and signs in with it.
async function resetPassword() {
  await press('link', 'Forgot the password?');
  await heading('Forgot the password?');
  await walk('forgot the password');
  await enter({ 'E-mail address': 'bob@example.com' });
  await heading('Check your e-mail');
  await walk('check your e-mail');
  await page.goto(await linkTo('bob@example.com'));
  await walk('set a new password');
  await enter({ 'New password': 'short' });
  await refused('Password must have at least 8 characters', 'New password');
  await walk('set a new password with a mistake');
  await enter({ 'New password': better });
  await heading('The password is set');
  await walk('the password is set');
  await press('link', 'Sign in');
  await enter({ 'E-mail address': 'bob@example.com', Password: better });
  await page.waitForURL(`${base}/console`);
}

// enterCode turns one-time codes on, as the console does, and signs in with one.
async function enterCode() {
  const ask = (query, input) =>
    page.evaluate(
      async (body) =>
        (
          await fetch('/graphql', {
            method: 'POST',
            headers: { 'Content-Type': 'application/json' },
            body: JSON.stringify(body),
          })
        ).json(),
      { query, variables: { input } },
    );
  await page.goto(`${base}/console`); // the pages of sign-in allow no requests of scripts
  const started = await ask(`mutation ($input: StartOneTimeCodesInput!) { startOneTimeCodes(input: $input) { secret } }`, {
    password: better,
  });
  const { secret } = started.data.startOneTimeCodes;
  const confirmed = await ask(`mutation ($input: ConfirmOneTimeCodesInput!) { confirmOneTimeCodes(input: $input) { recoveryCodes } }`, {
    code: codeOf(secret),
  });
  const [recovery] = confirmed.data.confirmOneTimeCodes.recoveryCodes;
  await signOut();
  await page.goto(`${base}/login`);
  await enter({ 'E-mail address': 'bob@example.com', Password: better });
  await heading('Enter a code');
  await walk('enter a code');
  await enter({ Code: '000000x' });
  await refused('The code is wrong, or was used before', 'Code');
  await walk('enter a code after a mistake');
  await enter({ Code: recovery });
  await page.waitForURL(`${base}/console`);
}

// seeErrors opens addresses that show the error page, and follows its link.
async function seeErrors() {
  await page.goto(`${base}/authorize?client_id=none`);
  await page.getByText('The app that sent you here is not registered').waitFor();
  await walk('error for an app that is not registered');
  await page.goto(`${base}/logout`);
  await page.getByText('This page does not accept GET requests').waitFor();
  await walk('error for a method');
  await press('link', 'To the console');
  await page.waitForURL(`${base}/console`);
}

// seeGerman looks at the pages whose German texts are longest.
async function seeGerman() {
  const german = await open('de');
  for (const [name, path] of Object.entries({
    'sign-in': '/login',
    'sign-up': '/signup',
    forgot: '/login/forgot',
    error: '/authorize?client_id=none',
  })) {
    await german.goto(base + path);
    await look(german, `signin-${name}-german`, { wrong, pictures });
  }
}
