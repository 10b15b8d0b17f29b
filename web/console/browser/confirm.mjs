// Confirms uploads in unusual moments, and prints what is wrong, a line each.
// Usage: node confirm.mjs BASE
// BASE is the address of a server without accounts.
import { start } from "./person.mjs";

const wrong = (text) => console.log(text);
const [base] = process.argv.slice(2);
const { browser, page } = await start(base, wrong);
const input = page.locator("input[type=file]:not([webkitdirectory])");
const isConfirmation = (route) => route.request().postData()?.includes("mutation CompleteUpload(");

await confirmThroughFault();
await browser.close();
console.log("done");

// confirmThroughFault uploads in pieces a file whose first confirmation gets an internal error. The
// file is not abandoned, and its pieces are not sent again.
async function confirmThroughFault() {
  let confirmations = 0;
  let abandoned = 0;
  let sent = 0;
  page.on("request", (request) => {
    if (request.method() === "PATCH") sent++;
    if (request.postData()?.includes("mutation AbandonUpload(")) abandoned++;
  });
  await page.route("**/graphql", (route) => {
    if (!isConfirmation(route) || confirmations++ > 0) return route.continue();
    return route.fulfill({ json: { errors: [{ message: "Internal server error", extensions: { code: "INTERNAL" } }] } });
  });
  await input.setInputFiles({ name: "walls.bin", mimeType: "application/octet-stream", buffer: Buffer.alloc(40 << 20, 7) });
  await page.getByText("Stored, but no space can show").waitFor();
  await page.unroute("**/graphql");
  if (abandoned > 0) wrong("the upload was abandoned");
  if (confirmations !== 2 || sent !== 3) wrong(`${confirmations} confirmations and ${sent} pieces, want 2 and 3`);
}
