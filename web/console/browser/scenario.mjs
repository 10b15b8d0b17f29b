// Goes the way of the first person on a server, in Chromium, and prints what is wrong, a line each.
// Usage: node scenario.mjs BASE FOLDER [PICTURES]
// BASE is the address of a server without accounts. A capture is written into FOLDER. Pictures of
// all views are stored in PICTURES, if it is there.
import { createHmac } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { look as lookAt, storeWebP } from "./look.mjs";

const [base, folder, pictures] = process.argv.slice(2);
// Views that docs/tour.md and README.md show, and the names of their pictures. With CONSOLE_README=FOLDER
// they are stored there.
const documented = { welcome: "welcome", tray: "publish", space: "console", files: "files" };
const patience = 180_000; // the machine may be busy
const wrong = (text) => console.log(text);

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
});
process.once("SIGINT", () => void browser.close().finally(() => process.exit(1)));
const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: "en", reducedMotion: "reduce" });
context.setDefaultTimeout(patience);
const page = await context.newPage();
page.on("pageerror", (error) => wrong(`error: ${error.message}`));
page.on("console", (message) => {
  // The scenario leaves pages while their socket connects.
  if (message.text().includes("closed before the connection is established")) return;
  if (["error", "warning"].includes(message.type()) && page.url().includes("/console")) wrong(`console: ${message.text()} ${message.location().url}`);
});
const button = (name) => page.getByRole("button", { name, exact: true });

await createFirstAccount();
await publishFolder();
await publishDrop();
await resumeUpload();
await lookAtViews();
await changeAccount();
await useWebhook();
await addFactors();
await changePrivacy();
await useHistory();
await operate();
await deleteEverything();
await deleteAccount();
await browser.close();
console.log("done");

// createFirstAccount follows the home page of an empty server to the console.
async function createFirstAccount() {
  await page.goto(base);
  await page.getByLabel("E-mail address").fill("ada@example.com");
  await page.getByLabel("Name").fill("Ada");
  await page.getByLabel("Password").fill("correct horse battery");
  await look("welcome");
  await button("Create the first account").click();
  await page.waitForURL(`${base}/console`);
  await page.getByRole("heading", { name: "Your first space starts here" }).waitFor();
  await look("spaces-empty");
  await page.keyboard.press("Tab");
  const first = await page.evaluate(() => document.activeElement?.textContent);
  if (first !== "Skip to the content") wrong(`the first Tab leads to ${first}`);
}

// publishFolder sends a folder with a capture, which the browser zips and a job unpacks.
async function publishFolder() {
  const sample = await page.evaluate(async () => [...new Uint8Array(await (await fetch("/console/sample.ply")).arrayBuffer())]);
  await mkdir(join(folder, "Hall", "export"), { recursive: true });
  await writeFile(join(folder, "Hall", "export", "hall.ply"), Uint8Array.from(sample));
  await writeFile(join(folder, "Hall", ".DS_Store"), "litter");
  await page.locator("input[webkitdirectory]").setInputFiles(join(folder, "Hall"));
  await page.getByText("Ready to walk in.").waitFor();
  await look("tray");
  await page.reload(); // the list of uploads outlives it
  await page.getByText("Ready to walk in.").waitFor();
  await button("Make a space").click();
  const open = page.getByRole("link", { name: "Open the space" });
  await open.waitFor();
  const address = await open.getAttribute("href");
  const space = await context.newPage();
  await space.goto(address);
  await space.locator("#scene canvas").first().waitFor({ state: "attached", timeout: patience });
  await space.close();
  await page.getByRole("button", { name: /^Remove Hall.zip/ }).click();
}

// publishDrop drops an empty file, which is refused in words, and a picture, which is placed.
async function publishDrop() {
  await page.evaluate(() => {
    const pixel = atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==");
    const transfer = new DataTransfer();
    transfer.items.add(new File([Uint8Array.from(pixel, (c) => c.charCodeAt(0))], "plan.png", { type: "image/png" }));
    transfer.items.add(new File([], "nothing.ply"));
    dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, cancelable: true }));
  });
  await page.getByText("The file is empty. Export it again.").waitFor();
  await button("Place it in…").click();
  await look("place");
  await page.getByRole("dialog").getByRole("button", { name: "Hall", exact: true }).click();
  await page.getByRole("link", { name: "Open the space" }).waitFor();
  await page.getByRole("button", { name: /^Remove plan.png/ }).click();
  await page.getByRole("button", { name: /^Remove nothing.ply/ }).click();
}

// resumeUpload pauses a large file, reloads the page in the middle of it and chooses it again.
async function resumeUpload() {
  const path = join(folder, "walls.bin");
  await writeFile(path, Buffer.alloc(40 << 20, 7));
  const offsets = new Map(); // of the requests for each part
  page.on("request", (request) => {
    if (request.method() === "PATCH") offsets.set(request.url(), [...offsets.get(request.url()) ?? [], Number(request.headers()["upload-offset"])]);
  });
  const network = await context.newCDPSession(page);
  const limit = (uploadThroughput) => network.send("Network.emulateNetworkConditions", { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput });
  await network.send("Network.enable");
  await limit(16 << 20);
  const files = page.locator("input[type=file]:not([webkitdirectory])");
  await files.setInputFiles(path);
  await page.getByText(/^Sending \d\d MB of 42 MB/).waitFor();
  await page.getByRole("button", { name: "Pause walls.bin" }).click();
  await page.getByText(/^Paused at/).waitFor();
  await look("paused");
  await page.getByRole("button", { name: "Resume walls.bin" }).click();
  await page.getByText(/^Sending [23]\d MB of 42 MB/).waitFor();
  await page.reload();
  await page.getByText(/^Stopped at [1-4]\d MB of 42 MB. Choose it again/).waitFor();
  await limit(-1);
  await files.setInputFiles(path);
  await page.getByText("Stored, but no space can show").waitFor();
  const continues = ([first, second, third = second]) => first === 0 && second > 0 && third >= second; // a part may end before the reload
  if (offsets.size !== 3 || ![...offsets.values()].every(continues)) wrong(`the pieces start at ${JSON.stringify([...offsets.values()])}`);
  await network.detach();
  await page.getByRole("button", { name: /^Remove walls.bin/ }).click();
}

// lookAtViews opens each view by its links.
async function lookAtViews() {
  await page.getByRole("link", { name: "Hall", exact: true }).waitFor();
  await look("spaces");
  await button("New space").click();
  await look("create");
  await page.keyboard.press("Escape");
  const sections = page.getByRole("navigation", { name: "Sections" });
  await sections.getByRole("link", { name: "Files" }).click();
  await page.getByRole("link", { name: /^hall/i }).waitFor();
  await look("files");
  await page.getByRole("link", { name: "plan.png" }).click();
  await page.getByRole("heading", { name: "Used in" }).waitFor();
  await look("file");
  await page.goBack();
  await page.getByRole("link", { name: /^hall/i }).click();
  await button("Convert…").press("Enter");
  await page.getByRole("dialog").getByLabel("Format").waitFor();
  await look("convert");
  await page.keyboard.press("Escape");
  await sections.getByRole("link", { name: "Activity" }).click();
  await page.getByText("Unpack a zip").waitFor();
  await page.getByText("Live", { exact: true }).waitFor();
  await page.getByText("Nobody follows you yet.").waitFor();
  await look("activity");
  await page.goto(`${base}/console/nowhere`);
  await page.getByRole("heading", { name: "There is no such page" }).waitFor();
  await page.getByLabel("Language").selectOption("de");
  await page.getByRole("heading", { name: "Diese Seite gibt es nicht" }).waitFor();
  await look("unknown-german");
  await page.getByLabel("Sprache").selectOption("en");
}

// changeAccount changes the name and the password, and makes an API key, by the keyboard alone.
async function changeAccount() {
  await page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name: "Account" }).click();
  await page.getByText("This browser").waitFor();
  await page.getByText("Account created").waitFor();
  await page.getByLabel("Name", { exact: true }).fill("Ada Lovelace");
  await page.keyboard.press("Enter");
  await page.getByText("Saved", { exact: true }).waitFor();
  await choosePicture();
  await page.getByLabel("Current password").fill("wrong horse");
  await page.getByLabel("New password").fill("correct horse battery staple");
  await page.keyboard.press("Enter");
  await page.getByText("The password is wrong.").waitFor();
  await page.getByLabel("Current password").fill("correct horse battery");
  await page.keyboard.press("Enter");
  await page.getByText("The password is changed. Other browsers are signed out.").waitFor();
  await button("Create a key").press("Enter");
  await page.getByText("Copy it now, and keep it secret.").waitFor();
  if (!(await page.getByRole("textbox", { name: "Your new key" }).inputValue()).startsWith("portico_")) wrong("the new key is not shown");
  await look("account");
}

// choosePicture sets the picture of the account, which the navigation and the public page show. A
// file that is no picture is refused in words.
async function choosePicture() {
  const file = page.locator('input[type="file"][accept="image/*"]');
  await file.setInputFiles({ name: "notes.png", mimeType: "image/png", buffer: Buffer.from("no picture") });
  await page.getByText("The browser cannot read this file as a picture.").waitFor();
  await file.setInputFiles({ name: "me.png", mimeType: "image/png", buffer: await page.screenshot() });
  const shown = page.getByRole("img", { name: "Your picture" });
  await shown.waitFor();
  await page.getByRole("navigation", { name: "Sections" }).locator("img").waitFor();
  await page.waitForFunction((image) => image.naturalWidth === 256 && image.naturalHeight === 256, await shown.elementHandle());
  await button("Remove").first().press("Enter");
  await page.getByText("Removed.", { exact: true }).waitFor();
  await file.setInputFiles({ name: "me.png", mimeType: "image/png", buffer: await page.screenshot() });
  await shown.waitFor();
  await look("account-picture");
}

// useWebhook adds a webhook for an address that is not public, which a test does not reach.
async function useWebhook() {
  const dialog = page.getByRole("dialog");
  await button("Add a webhook…").press("Enter");
  await dialog.getByLabel("Address").fill("http://127.0.0.1:9/events");
  await dialog.getByRole("checkbox", { name: "Entities changed" }).uncheck();
  await look("webhook");
  await dialog.getByLabel("Address").press("Enter");
  await page.getByText("it verifies the signatures").waitFor();
  if (!(await page.getByRole("textbox", { name: /^Secret: http/ }).inputValue()).startsWith("whsec_")) wrong("the secret is not shown");
  await page.getByRole("button", { name: /^Send a test: http/ }).press("Enter");
  await dialog.getByText("The receiver cannot be reached").waitFor();
  await look("webhook-log");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /^Delete…: http/ }).press("Enter");
  await dialog.getByRole("textbox").fill("127.0.0.1:9");
  await button("Delete permanently").press("Enter");
  await page.getByRole("button", { name: /^Send a test: http/ }).waitFor({ state: "hidden" });
}

// addFactors adds a passkey and one-time codes by the keyboard alone, and signs in with each.
async function addFactors() {
  const devtools = await context.newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: { protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
  });
  const dialog = page.getByRole("dialog");
  const password = "correct horse battery staple";
  await button("Add a passkey…").press("Enter");
  await dialog.getByLabel("Name").fill("Ada's phone");
  await dialog.getByLabel("Your password").fill(password);
  await look("passkey");
  await dialog.getByLabel("Your password").press("Enter");
  await page.getByText("Never used").waitFor();

  await button("Turn on…").press("Enter");
  await dialog.getByLabel("Your password").fill(password);
  await dialog.getByLabel("Your password").press("Enter");
  const secret = await dialog.getByRole("textbox", { name: "Secret" }).inputValue();
  await dialog.getByRole("img", { name: "QR code with the secret" }).waitFor();
  await look("codes");
  await dialog.getByLabel("Code from the app").fill(codeOf(secret));
  await dialog.getByLabel("Code from the app").press("Enter");
  await button("I have saved them").waitFor();
  await look("recovery");
  const recovery = await dialog.getByRole("listitem").allTextContents();
  if (recovery.length !== 10) wrong(`there are ${recovery.length} recovery codes`);
  await button("I have saved them").press("Enter");
  await look("account-factors");

  await button("Sign out").click();
  await page.goto(`${base}/login?next=/console/account`);
  await button("Sign in with a passkey").waitFor();
  await look("login");
  await page.getByLabel("E-mail address").fill("ada@example.com");
  await page.getByLabel("Password").fill(password);
  await page.keyboard.press("Enter");
  await page.getByLabel("Code").fill("123456x");
  await page.keyboard.press("Enter");
  await page.getByText("The code is wrong, or was used before").waitFor();
  await look("login-code");
  await page.getByLabel("Code").fill(recovery[0]);
  await page.keyboard.press("Enter");
  await page.getByText("Recovery codes left: 9").waitFor();

  await button("Sign out").click();
  await page.goto(`${base}/login?next=/console/account`);
  await button("Sign in with a passkey").press("Enter");
  await page.getByText("Last used").waitFor();
}

// codeOf returns the one-time code of a secret now (RFC 6238).
function codeOf(secret) {
  const bits = [...secret].map((c) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(c).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from(bits.match(/.{8}/g).map((b) => parseInt(b, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
  const mac = createHmac("sha1", key).update(step).digest();
  return String((mac.readUInt32BE(mac[19] & 15) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

// changePrivacy makes the space public and private again.
async function changePrivacy() {
  await page.goto(`${base}/console`);
  await page.getByRole("link", { name: "Hall", exact: true }).click();
  await page.getByLabel("Title").fill("The great hall");
  await button("Save").click();
  await page.getByRole("heading", { name: "The great hall", level: 1 }).waitFor();
  await page.getByRole("radio", { name: /^Public/ }).click();
  await page.getByRole("textbox", { name: "Code for other web pages" }).waitFor();
  await look("space");
  await button("Undo").click();
  await page.getByText("The space is private: its link works only for you.").waitFor();
}

// useHistory adds a gate, and compares, names and restores a version.
async function useHistory() {
  const dialog = page.getByRole("dialog");
  await button("Add a gate…").press("Enter");
  await dialog.getByLabel("Title").fill("Way out");
  await dialog.getByRole("radio", { name: "A web page" }).check();
  await dialog.getByLabel("Address", { exact: true }).fill("javascript:alert(1)");
  if (await button("Save").last().isEnabled()) wrong("a gate can lead to a script");
  await dialog.getByLabel("Address", { exact: true }).fill("https://example.com/garden");
  await page.getByText("Leads to example.com.").waitFor();
  await look("gate");
  await dialog.getByLabel("Address", { exact: true }).press("Enter");
  await page.getByRole("button", { name: "Edit Way out" }).waitFor();
  await page.getByRole("button", { name: /^Name version/ }).first().press("Enter");
  await page.getByLabel("Name of the version").fill("With a gate");
  await page.keyboard.press("Enter");
  await page.getByText("With a gate").waitFor();
  await page.getByRole("button", { name: /^Compare version/ }).first().press("Enter");
  await page.getByText("Created", { exact: true }).first().waitFor();
  await look("history");
  await page.getByRole("button", { name: /^Restore version/ }).first().press("Enter");
  await look("restore");
  await dialog.getByRole("button", { name: "Restore" }).press("Enter");
  await page.getByText(/^The space is already the same as version/).waitFor();
}

// operate looks at the views of an operator, and takes the space down and restores it. The test
// has made the account an operator meanwhile.
async function operate() {
  await openSpace();
  await page.getByRole("radio", { name: /^Public/ }).click();
  await page.getByRole("textbox", { name: "Code for other web pages" }).waitFor();
  await page.goto(`${base}/console/operator`);
  await page.getByText("ada@example.com").first().waitFor();
  await look("operator-accounts");
  const views = page.getByRole("navigation", { name: "Operator" });
  await views.getByRole("link", { name: "Spaces" }).press("Enter");
  await button("Take down").first().press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Reason").selectOption("SPAM");
  await look("operator-takedown");
  await dialog.getByRole("button", { name: "Take down" }).press("Enter");
  await button("Restore").waitFor();
  await look("operator-spaces");
  await openSpace();
  await page.getByText("An operator took the space down").waitFor();
  await look("space-down");
  await page.goto(`${base}/console/operator/spaces`);
  await button("Restore").press("Enter");
  await button("Take down").first().waitFor();
  await views.getByRole("link", { name: "Server" }).press("Enter");
  await page.getByText("Settings", { exact: true }).waitFor();
  for (const plot of ["Storage", "Requests in 5 minutes"]) {
    const words = await page.getByRole("figure").filter({ hasText: plot }).textContent();
    if (/now 0/.test(words)) wrong(`the plot reads "${words}", want the state of now`);
  }
  await look("operator-server");
  await views.getByRole("link", { name: "Audit trail" }).press("Enter");
  await page.getByText("ada@example.com").first().waitFor();
  await look("operator-audit");
  await openSpace();
}

// openSpace opens the space from the list.
async function openSpace() {
  await page.goto(`${base}/console`);
  await page.getByRole("link", { name: "The great hall", exact: true }).click();
  await page.getByRole("heading", { name: "The great hall", level: 1 }).waitFor();
}

// deleteEverything deletes the space by its name, and a file.
async function deleteEverything() {
  await button("Delete…").click();
  const forever = button("Delete permanently");
  if (await forever.isEnabled()) wrong("the space can be deleted before its name is typed");
  await look("delete");
  await page.getByRole("dialog").getByRole("textbox").fill("The great hall");
  await forever.click();
  await page.getByRole("heading", { name: "Your first space starts here" }).waitFor();
  await page.goto(`${base}/console/files`);
  const capture = page.getByRole("link", { name: /^hall/i });
  const name = await capture.textContent();
  await capture.click();
  await button("Delete…").click();
  await page.getByRole("dialog").getByRole("textbox").fill(name);
  await forever.click();
  await page.waitForURL(`${base}/console/files`);
  await page.getByRole("link", { name: "plan.png" }).waitFor();
  if (await capture.count()) wrong("the deleted file is still in the list");
}

// deleteAccount deletes the account, which leaves the server empty.
async function deleteAccount() {
  await page.goto(`${base}/console/account`);
  const [download] = await Promise.all([page.waitForEvent("download"), button("Export everything").click()]);
  if (!/^portico-[0-9]{8}-.*\.zip$/.test(download.suggestedFilename())) wrong(`the export is called ${download.suggestedFilename()}`);
  if (await download.failure()) wrong(`the export fails: ${await download.failure()}`);
  await button("Delete the account…").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Your password").fill("correct horse battery staple");
  if (await button("Delete permanently").isEnabled()) wrong("the account can be deleted before its address is typed");
  await look("delete-account");
  await dialog.getByLabel("to confirm").fill("ada@example.com");
  await button("Delete permanently").click();
  await page.waitForURL((url) => !url.pathname.startsWith("/console"));
}

// look looks at the view, and stores its picture for the documents where they show it.
async function look(name) {
  await lookAt(page, name, { wrong, pictures });
  if (documented[name] && process.env.CONSOLE_README) await storeWebP(page, join(process.env.CONSOLE_README, `${documented[name]}.webp`));
}
