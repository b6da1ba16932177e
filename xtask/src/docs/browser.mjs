// Opens the built site in Chromium: `node browser.mjs SITE SHOTS`, run in `web/`, whose packages it uses. On every page, in light
// and dark at two widths: axe reports no violation, nothing is wider than the window, nothing goes wrong in the console, and no
// request leaves this machine. Then the search is used. Pictures of some pages go to SHOTS.
import { readFile, readdir } from "node:fs/promises";
import http from "node:http";
import { createRequire } from "node:module";
import path from "node:path";

const require = createRequire(path.join(process.cwd(), "package.json"));
const { chromium } = require("playwright-core");
const { default: AxeBuilder } = require("@axe-core/playwright");

const [site, shots] = process.argv.slice(2).map((one) => path.resolve(one));
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice"];
const WINDOWS = { 1440: { width: 1440, height: 900 }, 390: { width: 390, height: 844 } };
const SHOWN = ["index.html", "getting-started.html", "concepts/stability-and-caching.html", "reference/commands.html"];
const KINDS = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

const problems = [];
const server = http.createServer(answer);
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
const origin = `http://127.0.0.1:${server.address().port}`;
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_BIN ?? "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"],
});
const pages = (await readdir(site, { recursive: true })).filter((file) => file.endsWith(".html") && file !== "toc.html").sort();
let checked = 0;
for (const page of SHOWN.filter((page) => !pages.includes(page))) problems.push(`${page} does not exist`);
try {
  const looks = ["light", "dark"].flatMap((scheme) => Object.keys(WINDOWS).map((width) => ({ scheme, width })));
  await Promise.all(looks.map((look) => attempt(inspectAll, look)));
  for (const look of looks) {
    await attempt(search, look);
    await attempt(useMenus, look);
    if (look.width === "390") await attempt(scroll, look);
  }
} finally {
  await browser.close();
  server.close();
}
console.log(`  | docs: ${pages.length} pages, ${checked} views, ${problems.length} problems`);
for (const problem of problems.sort()) console.log(problem);
process.exit(problems.length === 0 ? 0 : 1);

/** Serves the site's files. */
async function answer(request, response) {
  const name = decodeURIComponent(new URL(request.url, "http://site").pathname);
  const file = path.join(site, path.normalize(name.endsWith("/") ? `${name}index.html` : name));
  try {
    if (!file.startsWith(site + path.sep)) throw new Error("outside");
    const body = await readFile(file);
    response.writeHead(200, { "Content-Type": KINDS[path.extname(file)] ?? "application/octet-stream" }).end(body);
  } catch {
    response.writeHead(404).end();
  }
}

/** A tab in which whatever goes wrong becomes a problem. */
async function newTab({ scheme, width }) {
  const context = await browser.newContext({ viewport: WINDOWS[width], colorScheme: scheme, reducedMotion: "reduce" });
  context.setDefaultTimeout(30_000);
  await context.route((url) => url.origin !== origin, (route) => {
    report(tab, `a request to ${route.request().url()}`);
    return route.abort();
  });
  const tab = await context.newPage();
  tab.look = `${scheme} ${width}`;
  tab.on("pageerror", (error) => report(tab, error.message));
  tab.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") report(tab, `console: ${message.text()} ${message.location().url}`);
  });
  return tab;
}

function report(tab, what) {
  problems.push(`${tab.url().replace(`${origin}/`, "")} (${tab.look}): ${what}`);
}

/** Does something in this look; where it cannot be done, that is a problem. */
async function attempt(act, look) {
  const tab = await newTab(look);
  await act(tab, look).catch((error) => report(tab, `${act.name}: ${error.message}`));
  await tab.context().close();
}

/** Opens every page once in this look. */
async function inspectAll(tab, look) {
  for (const page of pages) {
    await tab.goto(`${origin}/${page}`, { waitUntil: "load" });
    await inspect(tab);
    if (SHOWN.includes(page)) await tab.screenshot({ path: path.join(shots, `${name(page)}-${look.width}-${look.scheme}.png`) });
  }
}

function name(page) {
  return path.basename(page, ".html");
}

/** Reports what axe finds, and what is wider than its place. */
async function inspect(tab) {
  checked += 1;
  const axe = new AxeBuilder({ page: tab }).options({ resultTypes: ["violations"] }).withTags(RULES);
  // No page has a frame, and without a page of its own for the results axe takes half the time.
  const { violations } = await axe.setLegacyMode(true).analyze();
  for (const { id, nodes } of violations) {
    for (const node of nodes) report(tab, `${id}: ${node.html.slice(0, 120)} ${(node.failureSummary ?? "").replace(/\s+/g, " ").slice(0, 260)}`);
  }
  const wide = await tab.evaluate(() =>
    ["html", "#mdbook-content", "main"]
      .map((selector) => [selector, document.querySelector(selector)])
      .filter(([, element]) => element && element.scrollWidth > element.clientWidth)
      .map(([selector, element]) => `${selector} is ${element.scrollWidth} wide in ${element.clientWidth}`),
  );
  for (const one of wide) report(tab, one);
}

/** Finds the page about stability. */
async function search(tab, look) {
  await tab.goto(`${origin}/index.html`);
  await tab.keyboard.press("/");
  await tab.locator("#mdbook-searchbar").pressSequentially("stability");
  const found = tab.locator("#mdbook-searchresults a");
  await found.first().waitFor();
  const links = await found.evaluateAll((all) => all.map((link) => new URL(link.href).pathname));
  const nth = links.findIndex((link) => /^\/concepts\/.*stability/.test(link));
  if (nth < 0) throw new Error(`\`stability\` finds only ${links.join(" ")}`);
  await inspect(tab);
  await tab.screenshot({ path: path.join(shots, `search-${look.width}-${look.scheme}.png`) });
  await found.nth(nth).click();
  await tab.locator("main mark").first().waitFor();
}

/** Opens the contents and the choice of colors with the keyboard; a choice lasts on the next page. */
async function useMenus(tab, look) {
  await tab.goto(`${origin}/index.html`);
  const contents = tab.getByRole("button", { name: "Contents" });
  if ((await contents.getAttribute("aria-expanded")) === "false") await contents.press("Enter");
  await tab.getByRole("navigation", { name: "Contents" }).getByRole("link", { name: "Glossary" }).waitFor();
  await inspect(tab);
  await tab.screenshot({ path: path.join(shots, `contents-${look.width}-${look.scheme}.png`) });
  await contents.press("Enter");
  await tab.locator("#mdbook-sidebar").waitFor({ state: "hidden" });
  await tab.getByRole("button", { name: "Colors" }).press("Enter");
  await inspect(tab);
  const other = look.scheme === "light" ? "Dark" : "Light";
  await tab.getByRole("menuitem", { name: other }).press("Enter");
  await tab.goto(`${origin}/glossary.html`);
  const scheme = await tab.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
  if (scheme !== other.toLowerCase()) report(tab, `${other} was chosen, and this is ${scheme}`);
}

/** A code block that is wider than a phone scrolls with the arrow keys, which turn the page elsewhere. */
async function scroll(tab) {
  await tab.goto(`${origin}/reference/commands.html`);
  const block = tab.locator("main pre > code[tabindex]").first();
  await block.press("ArrowRight");
  await tab.waitForFunction((code) => code.scrollLeft > 0, await block.elementHandle());
  await block.blur();
  await tab.keyboard.press("ArrowRight");
  await tab.waitForURL((url) => !url.pathname.endsWith("/commands.html"));
}
