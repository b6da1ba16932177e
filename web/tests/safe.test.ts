// Untrusted text has no effect on the page: the policy, the code, and hostile values.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { newContext, newPage, openPage, paced, preview, saveState, settled, shows, startBrowser, text, type } from "./browser";
import { branch, startService, write, type Service } from "./service";

const SCRIPT = "<img src=x onerror=window.pwned=1><script>window.pwned=1</script>";
const BIDI = "\u202egpj.exe\u2066\u200b";

let service: Service;
let browser: Browser;

before(async () => {
  service = await startService();
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await service?.end();
});

test("the policy allows nothing unsafe, and the page needs nothing else", async () => {
  const response = await fetch(`${service.page}/`);
  const policy = response.headers.get("content-security-policy") ?? "";
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /script-src 'self'(;|$)/);
  assert.match(policy, /style-src 'self' 'nonce-[A-Za-z0-9+/=_-]{16,}'(;|$)/);
  assert.doesNotMatch(policy, /unsafe|\*|https?:|data:.*script/);
  const html = await response.text();
  assert.doesNotMatch(html, /<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|\{\{/, "no inline code, no placeholder left");
});

test("each page gets a nonce of its own", async () => {
  const nonce = async () => /nonce-([^']+)'/.exec((await fetch(`${service.page}/`)).headers.get("content-security-policy") ?? "")?.[1];
  assert.notEqual(await nonce(), await nonce());
});

test("the source never writes markup or runs text", async () => {
  const banned = /\.innerHTML|\.outerHTML|insertAdjacentHTML|document\.write|dangerouslySetInnerHTML|\beval\(|new Function|createContextualFragment|DOMParser|srcdoc/;
  const files = await readdir(path.join(process.cwd(), "src"), { recursive: true });
  const source = files.filter((file) => /\.tsx?$/.test(file));
  assert.ok(source.length > 30);
  for (const file of source) assert.doesNotMatch(await readFile(path.join(process.cwd(), "src", file), "utf8"), banned, file);
});

test("script tags in template, file name, branch and value are text", async () => {
  await write(service.root, "AGENTS.md", `${SCRIPT}\n[prompt:cwd]\n`);
  await branch(service.root, "<script>window.pwned=1</script>");
  await write(service.root, "<b>x<b>.md", SCRIPT);
  const name = "<img src=x onerror=window.pwned=1>";
  await service.put("main", `${SCRIPT}\n[git:branch]\n[file:AGENTS.md]\n[file:<b>x<b>.md]\n[file:${name}]\n[${SCRIPT}:x]\n[x:${SCRIPT}]`);
  const page = await openPage(browser, service.page);
  await shows(preview(page), SCRIPT);
  await shows(preview(page), "\n<script>window.pwned=1</script>");
  await shows(preview(page), "[prompt:cwd]");
  await preview(page).focus();
  for (let steps = 0; steps < 4; steps++) {
    await page.keyboard.press("ArrowDown");
    await page.waitForTimeout(50);
  }
  await text(page).focus();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("[git");
  await page.getByRole("option", { name: /git:branch/ }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("F8");
  await page.waitForTimeout(200);
  assert.equal(await page.evaluate("window.pwned"), undefined);
  assert.equal(await page.locator("#app img[src=x], #app script, #app b").count(), 0);
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});

test("bidi and hidden characters are written out where names and values are shown", async () => {
  await write(service.root, `docs/${BIDI}.md`, "a\u202eb\u200bc");
  await branch(service.root, `x${BIDI}`);
  await service.put("main", `[file:docs/${BIDI}.md] [git:branch] [file:gone${BIDI}.md]`);
  const page = await openPage(browser, service.page);
  const palette = page.locator(".palette-list");
  // This profile leaves a branch as it is, so the page writes its hidden characters out.
  await shows(palette, "x⟨U+202E⟩gpj.exe");
  await preview(page).focus();
  await page.keyboard.press("ArrowDown");
  const card = page.locator(".preview .card-inside");
  await shows(card, "file:docs/⟨U+202E⟩gpj.exe");
  await shows(card, "a⟨U+202E⟩b⟨U+200B⟩c");
  const raw = await page.evaluate(() => {
    const boxes = [...document.querySelectorAll(".palette, .card-inside, .findings, .strip, .bar")];
    return boxes.some((box) => /[\u202e\u2066\u200b]/.test(box.textContent ?? ""));
  });
  assert.equal(raw, false, "nowhere but in the texts themselves does a hidden character stand as it is");
  assert.equal(await preview(page).locator(".cm-specialChar").count() > 0, true, "in the texts it is drawn as a mark");
  await page.context().close();
});

test("a name of a megabyte and a value of a megabyte hold nothing up", async () => {
  await write(service.root, "big.md", "x".repeat(1_000_000));
  await service.put("main", `[file:big.md]\n[file:${"n".repeat(1_000_000)}]\n`);
  const page = await openPage(browser, service.page);
  await text(page).focus();
  await page.keyboard.press("Control+End");
  const most = await paced(page, 4000);
  const start = Date.now();
  await type(page, "here");
  assert.ok(Date.now() - start < most, `typing and its preview took ${Date.now() - start} ms`);
  const drawn = await page.evaluate(() => document.body.textContent?.length ?? 0);
  assert.ok(drawn < 200_000, `no megabyte is on the page: ${drawn}`);
  await page.keyboard.press("Control+s");
  await shows(saveState(page), /Saved as version/);
  await settled(page);
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});

test("an invalid address opens the editor or reports an invalid template name, and runs nothing", async () => {
  for (const hash of ["#/edit/%3Cscript%3E", "#/edit/%E0%A4%A", "#/nowhere", "#javascript:alert(1)", `#/edit/${"a".repeat(5000)}`]) {
    const page = await newPage(await newContext(browser));
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(error.message));
    await page.goto(`${service.page}/${hash}`);
    const opened = page.getByRole("button", { name: /^Template:/ });
    await opened.or(page.getByRole("heading", { name: "Invalid template name" })).waitFor();
    assert.equal(await opened.count(), hash.startsWith("#/edit/") ? 0 : 1, hash);
    assert.deepEqual(errors, [], hash);
    await page.context().close();
  }
});
