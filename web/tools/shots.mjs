// The pictures of docs/tasks/use-the-editor.md: `cargo xtask web --shots`. A service of its own with an example project, a few versions and
// conversations; every screen in light and dark, the editor in three widths.
import { spawn } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const web = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const out = process.argv[2] ?? path.join(web, "../docs/images");
const binary = process.env.PREFACE_BIN ?? path.join(web, "../target/dist/preface");
const FLAGS = [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];

const FIRST = `You are a careful coding assistant in [prompt:cwd].

[if file:AGENTS.md]
# House rules

[file:AGENTS.md]
[else]
There are no house rules here. Ask before you change anything.
[endif]
`;
const HOW = `
# How to work

- Read before you write; ask where something is unclear.
- Keep changes small, and say why.
- Never invent an API: look it up.
`;
const BRANCH = `
[if git:branch]You are on the branch [git:branch].[endif]
Today is [system:local_date].
`;

// Its name is in the pictures, so it is always the same.
const home = path.join(os.tmpdir(), "preface-example");
await mkdir(home);
const root = path.join(home, "engine");
const files = {
  "AGENTS.md": "- Use tabs.\n- Every public item has a test.\n",
  "docs/rules.md": "Be brief.\n",
  ".git/HEAD": "ref: refs/heads/faster-parser\n",
  ".git/refs/heads/faster-parser": `${"1".repeat(40)}\n`,
  ".git/objects/.keep": "",
};
for (const [file, text] of Object.entries(files)) {
  await mkdir(path.dirname(path.join(root, file)), { recursive: true });
  await writeFile(path.join(root, file), text);
}
const env = { PATH: process.env.PATH, HOME: home, PREFACE_HOME: path.join(home, "preface") };
const store = `sqlite:${path.join(home, "store.db")}`;
const service = spawn(binary, ["serve", "--listen", "127.0.0.1:0", "--store", store, "--root", root], {
  env,
  stdio: ["ignore", "ignore", "pipe"],
});
const url = await new Promise((done, failed) => {
  let output = "";
  service.stderr.on("data", (bytes) => {
    output += bytes;
    const found = /http:\/\/[\d.]+:\d+/.exec(output);
    if (found) done(found[0]);
  });
  service.once("exit", () => failed(new Error(output)));
});

const request = async (method, where, body = {}) => {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(url + where, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${method} ${where}: ${response.status} ${await response.text()}`);
};
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: FLAGS });
try {
  await request("PUT", "/system-prompt", { template: FIRST, note: "Our own words" });
  await request("PUT", "/system-prompt", { template: FIRST + HOW, note: "How to work" });
  for (const id of ["review-812", "fix-parser-3"]) await request("POST", `/conversations/${id}/turns`, { model: "some-model-1" });
  await request("PUT", "/system-prompt", { template: FIRST + HOW + BRANCH, note: "The branch, where there is one" });
  await request("PUT", "/templates/main/labels/live", { version: 2 });
  for (const id of ["onboarding", "fix-parser-4"]) await request("POST", `/conversations/${id}/turns`, { model: "some-model-1" });
  for (const scheme of ["light", "dark"]) {
    for (const width of [1440, 1024, 390]) await shoot("editor", width, scheme, editor);
    await shoot("versions", 1440, scheme, (page) => opened(page, "#/versions/main", ".cm-editor"));
    await shoot("conversations", 1440, scheme, conversation);
    await shoot("health", 1440, scheme, (page) => opened(page, "#/health", "main"));
  }
} finally {
  await browser.close();
  service.kill("SIGTERM");
  await new Promise((done) => service.once("exit", done));
  await rm(home, { recursive: true, force: true });
}

async function shoot(name, width, scheme, act) {
  const height = { 1440: 900, 1024: 768, 390: 844 }[width];
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, reducedMotion: "reduce" });
  const page = await context.newPage();
  await act(page, width);
  await page.waitForTimeout(500);
  await page.screenshot({ path: path.join(out, `${name}-${width}-${scheme}.png`) });
  await context.close();
}

async function opened(page, where, awaited) {
  await page.goto(`${url}/${where}`);
  await page.waitForSelector(awaited);
}

async function editor(page, width) {
  await opened(page, "", ".cm-content");
  await page.getByText("faster-parser").first().waitFor({ state: "attached" });
  if (width < 500) return;
  // A card shows where a value comes from.
  await page.locator(".preview").getByText("faster-parser", { exact: true }).first().hover();
}

async function conversation(page) {
  await opened(page, "#/conversations/fix-parser-4", ".cm-editor");
  await page.locator(".run.value").first().click();
}
