// Scores pages with Lighthouse on its phone and on its desktop computer, and prints an object for each
// screen of each page: the scores of 0 to 100, and the audits that are not passed.
// Usage: node score.mjs CHROMIUM PAGES
// PAGES is JSON: [{name, address, categories, cookie}], where cookie is sent with all requests.
import { launch } from "chrome-launcher";
import lighthouse, { desktopConfig } from "lighthouse";

const [chromePath, pages] = process.argv.slice(2);
let chrome;
process.on("SIGINT", () => {
  chrome?.kill();
  process.exit(1);
});
for (const { name, address, categories: onlyCategories, cookie } of JSON.parse(pages)) {
  for (const [screen, config] of [["phone", undefined], ["desktop", desktopConfig]]) {
    // Each has a browser of its own: what another page has cached would make it faster.
    chrome = await launch({ chromePath, chromeFlags: ["--headless=new", "--no-sandbox"] });
    try {
      const flags = { port: chrome.port, onlyCategories, logLevel: "error", ...(cookie && { extraHeaders: { Cookie: cookie } }) };
      const { lhr } = await lighthouse(address, flags, config);
      const scores = Object.fromEntries(onlyCategories.map((id) => [id, Math.round(100 * lhr.categories[id].score)]));
      const failed = Object.values(lhr.audits).filter(({ score }) => score !== null && score < 0.9).map(({ id }) => id);
      console.log(JSON.stringify({ name, screen, scores, failed, error: lhr.runtimeError?.message ?? "" }));
    } finally {
      chrome.kill();
    }
  }
}
