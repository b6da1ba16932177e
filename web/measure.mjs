// Measures the page: what it weighs, how soon one can write, how long it takes from a key to its preview, and how the heap grows over
// PREFACE_MINUTES (10; 0 for none) of typing. `npm run measure` wants PREFACE_BIN; it starts a preface of its own in a directory of its own and ends it.
// A value beyond its bar is marked: it fails nothing, since a busy machine is slower.
import { chromium } from "playwright-core";
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { buildPage, report } from "./tools/build.mjs";
import { serve } from "./tools/dev.mjs";

const web = path.dirname(fileURLToPath(import.meta.url));
const binary = process.env.PREFACE_BIN ?? path.join(web, "../target/dist/preface");
const LOADS = 9;
const KEYS = 60;
const MINUTES = Number(process.env.PREFACE_MINUTES ?? 10);
/** Kilobytes with brotli, and milliseconds of the 95th of 100. */
const BARS = { first: 160, frame: 32, preview: 100 };

const home = await mkdtemp(path.join(os.tmpdir(), "preface-measure-"));
const root = path.join(home, "work");
await mkdir(root);
await writeFile(path.join(root, "AGENTS.md"), "Use tabs.\n");
const port = await new Promise((done) => {
  const server = net.createServer().listen(0, "127.0.0.1", () => {
    const { port } = server.address();
    server.close(() => done(port));
  });
});
const url = `http://127.0.0.1:${port}`;
const env = { ...process.env, HOME: home, PREFACE_HOME: path.join(home, "preface") };
const service = spawn(binary, ["serve", "--listen", `127.0.0.1:${port}`, "--store", "memory:", "--root", root], { env, stdio: "ignore" });
const dist = path.join(home, "dist");
let front;
let browser;
try {
  const { brotli } = report(await buildPage({ dist, quiet: true }));
  console.log(`first load ${(brotli / 1000).toFixed(1)} KB with brotli${beyond(brotli / 1000, BARS.first, "KB")}`);
  for (let tries = 0; tries < 200; tries++) {
    if (await fetch(`${url}/readyz`).then(({ ok }) => ok, () => false)) break;
    await new Promise((done) => setTimeout(done, 50));
  }
  front = await serve({ service: url, dist, given: { root, store: "0000000000000000" } });
  const args = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"];
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM_BIN ?? "/usr/bin/chromium", args });
  await loads();
  for (const [name, template] of Object.entries(templates())) await keys(name, template);
  if (MINUTES > 0) await heap();
} finally {
  await browser?.close();
  await front?.close();
  service.kill("SIGTERM");
  await rm(home, { recursive: true, force: true });
}

function templates() {
  const prose = "You are careful and explicit: only what was requested is changed, and a test shows each of the changes.\n";
  const tags = "On [git:branch] in [prompt:cwd].\n[if file:AGENTS.md]\n[file:AGENTS.md]\n[else]\nNo rules.\n[endif]\n";
  const of = (size, unit) => unit.repeat(Math.ceil(size / unit.length)).slice(0, size - size % unit.length);
  return {
    "10 KB, a tag in each 100 bytes": of(10_000, prose.slice(0, -1) + " [prompt:cwd]\n"),
    "100 KiB, a tag in each 100 bytes": of(102_400, prose.slice(0, -1) + " [prompt:cwd]\n"),
    "1 MB, a tag in each 10 KB": of(1_000_000, prose.repeat(100) + "[prompt:cwd]\n"),
    "1 MB, 86,000 tags and texts": of(1_000_000, tags),
  };
}

/** From the beginning of the load to the text that can be written in, with an empty cache each time. */
async function loads() {
  const times = { paint: [], ready: [], analysed: [] };
  for (let load = 0; load < LOADS; load++) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    await page.goto(front.url, { waitUntil: "commit" });
    const ready = await page.waitForFunction(() => document.querySelector(".text .cm-content .cm-line") && performance.now(), null, { polling: 4 });
    times.ready.push(await ready.jsonValue());
    const analysed = await page.waitForFunction(() => document.querySelector(".preview .value") && performance.now(), null, { polling: 4 });
    times.analysed.push(await analysed.jsonValue());
    times.paint.push(await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0));
    await context.close();
  }
  console.log(`\nload, ${LOADS} times with an empty cache, p50 / p95`);
  console.log(`  first contentful paint          ${both(times.paint)}`);
  console.log(`  text can be written in          ${both(times.ready)}`);
  console.log(`  first preview is there          ${both(times.analysed)}`);
}

/** From a key to the preview that shows it, and how long the page was held up by the key. */
async function keys(name, template) {
  await fetch(`${url}/templates/measured`, {
    method: "PUT",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ template }),
  });
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto(`${front.url}/#/edit/measured`);
  await page.waitForFunction(() => document.querySelector(".preview .cm-line")?.textContent && !document.querySelector(".preview-text.behind"), null, { timeout: 60_000 });
  await page.locator(".text .cm-content").click({ position: { x: 5, y: 12 } });
  await page.keyboard.press("Control+Home");
  const toPreview = [];
  const held = [];
  for (let key = 0; key < KEYS; key++) {
    const letter = "abcdefghijklmnopqrstuvwxyz"[key % 26];
    await page.evaluate((wanted) => {
      window.measured = new Promise((done) => {
        const content = document.querySelector(".preview .cm-content");
        addEventListener("keydown", () => {
          const start = performance.now();
          let shown = 0;
          requestAnimationFrame(() => setTimeout(() => (window.held = performance.now() - start)));
          const look = () => {
            if (content.textContent.startsWith(wanted)) shown = performance.now() - start;
            if (shown) return void done(shown);
            requestAnimationFrame(look);
          };
          look();
        }, { once: true, capture: true });
      });
    }, "abcdefghijklmnopqrstuvwxyz".repeat(9).slice(0, key + 1));
    await page.keyboard.press(letter);
    toPreview.push(await page.evaluate(() => window.measured));
    held.push(await page.evaluate(() => window.held));
    await page.waitForTimeout(30);
  }
  console.log(`\n${name} (${template.length.toLocaleString("en")} bytes), ${KEYS} keys, p50 / p95`);
  const small = template.length <= 102_400;
  console.log(`  from key to preview             ${both(toPreview)}${small ? beyond(at(toPreview, 0.95), BARS.preview, "ms") : ""}`);
  console.log(`  from key to next frame          ${both(held)}${beyond(at(held, 0.95), BARS.frame, "ms")}`);
  await context.close();
}

/** The heap of the page after each minute of typing, saving and deleting; the text stays as long as it was. */
async function heap() {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto(`${front.url}/#/edit/heap`);
  await page.locator(".text .cm-content").focus();
  const session = await context.newCDPSession(page);
  const used = async () => {
    await session.send("HeapProfiler.collectGarbage");
    return (await session.send("Runtime.getHeapUsage")).usedSize / 1e6;
  };
  const sizes = [];
  for (let minute = 0; minute < MINUTES; minute++) {
    const end = Date.now() + 60_000;
    while (Date.now() < end) {
      await page.keyboard.type("Be brief, and on [prompt:cwd]. ", { delay: 40 });
      await page.keyboard.press("Control+s");
      await page.keyboard.press("Control+a");
      await page.keyboard.press("Delete");
    }
    sizes.push(await used());
  }
  console.log(`\nheap after each of ${MINUTES} minutes of typing, MB\n  ${sizes.map((size) => size.toFixed(1)).join(" ")}`);
  await context.close();
}

function beyond(value, bar, unit) {
  return value > bar ? `   beyond its bar of ${bar} ${unit}` : "";
}

function at(times, share) {
  const sorted = [...times].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)];
}

function both(times) {
  return `${at(times, 0.5).toFixed(0).padStart(5)} ms / ${at(times, 0.95).toFixed(0).padStart(5)} ms`;
}
