// Scores a page with Lighthouse on its phone and on its desktop computer, and prints an object
// for each: the scores of 0 to 100, and the audits that are not passed.
// Usage: node score.mjs CHROMIUM ADDRESS
import { launch } from "chrome-launcher";
import lighthouse, { desktopConfig } from "lighthouse";

const [chromePath, address] = process.argv.slice(2);
const onlyCategories = ["performance", "accessibility", "best-practices", "seo"];
const chrome = await launch({ chromePath, chromeFlags: ["--headless=new", "--no-sandbox"] });
process.on("SIGINT", () => {
  chrome.kill();
  process.exit(1);
});
try {
  for (const [screen, config] of [["phone", undefined], ["desktop", desktopConfig]]) {
    const { lhr } = await lighthouse(address, { port: chrome.port, onlyCategories, logLevel: "error" }, config);
    const scores = Object.fromEntries(onlyCategories.map((id) => [id, Math.round(100 * lhr.categories[id].score)]));
    const failed = Object.values(lhr.audits).filter(({ score }) => score !== null && score < 0.9).map(({ id }) => id);
    console.log(JSON.stringify({ screen, scores, failed, error: lhr.runtimeError?.message ?? "" }));
  }
} finally {
  chrome.kill();
}
