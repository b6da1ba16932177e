// The built prompts of two versions, directories and models are compared; the comparison has an address, and each change a reason.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { shows, startBrowser } from "./browser";
import { clean, done, openScreen, PHONE, SCHEMES } from "./screens";
import { startService, write, type Service } from "./service";

let service: Service;
let browser: Browser;

const FIRST = "You are [prompt:model] in [prompt:cwd].\n\nthe same\n\n\n[file:rules.md]\n\nthe same\n\n[if file:extra.md]There is more.[endif]\n";

before(async () => {
  service = await startService();
  browser = await startBrowser();
  await write(service.root, "a/rules.md", "Be brief.\n");
  await write(service.root, "b/rules.md", "Be brief.\nBe kind.\n");
  await write(service.root, "b/extra.md", "More.\n");
  await service.put("built", FIRST);
  await service.put("built", `${FIRST}A last line at [system:time].\n`);
});
after(async () => {
  await browser?.close();
  await service?.end();
});

const hash = (page: Page): string => new URL(page.url()).hash;
const reasons = (page: Page) => page.getByRole("listbox", { name: "Changes and their reasons" });
const address = (at: string, from: string, to: string, more = "") =>
  `#/versions/built/${at}?show=prompt&from_cwd=${service.root}/${from}${more}&to_cwd=${service.root}/${to}`;

test("two versions: the switch, the reason, the tokens, and an address that shows the same", async () => {
  const page = await openScreen(browser, service, "#/versions/built/1..2");
  await page.getByRole("button", { name: "Built prompt" }).click();
  await page.getByRole("group", { name: "To" }).getByLabel("Directory").waitFor();
  for (const side of ["From", "To"]) {
    await page.getByRole("group", { name: side }).getByLabel("Directory").fill(`${service.root}/a`);
    await page.keyboard.press("Enter");
  }
  await shows(reasons(page), /template\s*line 11 added in version 2/);
  await shows(page.locator(".compare-heads"), /Version 1\s*about \d+ tokens, \d+ B[\s\S]*Version 2 \(current\)\s*about \d+ tokens/);
  const shared = hash(page);
  assert.match(shared, /^#\/versions\/built\/1\.\.2\?show=prompt&from_cwd=\/.*\/a&to_cwd=\/.*\/a$/);
  const other = await openScreen(browser, service, shared);
  await shows(reasons(other), /template\s*line 11 added in version 2/);
  await other.getByRole("button", { name: "Template", exact: true }).click();
  await shows(other.locator(".compare-text"), "[system:time]");
  assert.equal(hash(other), "#/versions/built/1..2");
  await other.goBack();
  await shows(reasons(other), "template");
  await done(other);
  await done(page);
});

test("two directories and two models of one version", async () => {
  const page = await openScreen(browser, service, address("2..2", "a", "b", "&from_model=one"));
  await shows(reasons(page), /prompt:model\s*“one” → not found/);
  await shows(reasons(page), /prompt:cwd\s*“[^”]*\/a” → “[^”]*\/b”/);
  await shows(reasons(page), /file:rules\.md\s*10 B → 19 B/);
  await shows(reasons(page), /\[if file:extra\.md\]\s*false → true/);
  await shows(page.locator(".compare-heads"), /for one, \d+ B/);
  // The clock is the same on both sides.
  assert.doesNotMatch(await reasons(page).innerText(), /system:time/);
  await page.getByRole("group", { name: "To" }).getByLabel("Model").fill("two");
  await page.keyboard.press("Enter");
  await shows(reasons(page), /prompt:model\s*“one” → “two”/);
  assert.match(hash(page), /&from_model=one&.*&to_model=two$/);
  await done(page);
});

test("by keyboard: a reason leads to its change, and a value of the text is described", async () => {
  const page = await openScreen(browser, service, address("2..2", "a", "b"));
  await reasons(page).focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.waitForFunction(() => document.querySelector('.reasons [aria-selected="true"]')?.textContent?.includes("file:rules.md"));
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement?.matches(".cm-merge-b .cm-content"));
  await page.keyboard.press("p");
  await page.waitForFunction(() => document.querySelector('.reasons [aria-selected="true"]')?.textContent?.includes("prompt:cwd"));
  await page.keyboard.press("ArrowDown");
  await shows(page.locator(".card-inside"), "prompt:cwd");
  assert.doesNotMatch(await page.locator(".card-inside").innerText(), /go to its source/);
  await done(page);
});

test("a directory outside of the roots is refused, and equal prompts are reported as such", async () => {
  const page = await openScreen(browser, service, "#/versions/built/2..2?show=prompt&from_cwd=/etc&to_cwd=/etc");
  await shows(page.getByRole("alert"), "/etc");
  await page.goto(`${service.page}/${address("2..2", "a", "a")}`);
  await shows(page.locator(".compare"), "The texts are identical.");
  await done(page);
});

for (const colorScheme of SCHEMES) {
  for (const [where, options] of [["wide", {}], ["on a phone", PHONE]] as const) {
    test(`axe: ${where}, ${colorScheme}`, async () => {
      const page = await openScreen(browser, service, address("1..2", "a", "b", "&from_model=one"), { ...options, colorScheme });
      await shows(reasons(page), "file:rules.md");
      await clean(page, where);
      await done(page);
    });
  }
}
