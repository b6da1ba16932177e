// Versions and comparisons have addresses, Back takes a choice back, and what is deployed is in sight.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { settled, shows, startBrowser, text } from "./browser";
import { clean, done, openScreen, send } from "./screens";
import { startService, type Service } from "./service";

let service: Service;
let browser: Browser;

before(async () => {
  service = await startService();
  browser = await startBrowser();
  for (const line of ["one", "two", "three"]) await service.put("main", `${line}\n`);
});
after(async () => {
  await browser?.close();
  await service?.end();
});

const hash = (page: Page): string => new URL(page.url()).hash;
const heading = (page: Page, version: number) => page.getByRole("heading", { name: `Version ${version}`, exact: true }).waitFor();

test("a version has an address, and Back undoes choosing", async () => {
  const page = await openScreen(browser, service, "#/versions/main");
  await heading(page, 3);
  await page.getByRole("listbox", { name: "Versions" }).getByRole("option", { name: /^Version 1/ }).click();
  await heading(page, 1);
  assert.equal(hash(page), "#/versions/main/1");
  await page.reload();
  await heading(page, 1);
  await page.goBack();
  await heading(page, 3);
  assert.equal(hash(page), "#/versions/main");
  await done(page);
});

test("walking through the list with the keyboard is one step for Back", async () => {
  const page = await openScreen(browser, service, "#/versions/main");
  await heading(page, 3);
  await page.getByRole("listbox", { name: "Versions" }).focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await heading(page, 1);
  await page.goBack();
  await heading(page, 3);
  await done(page);
});

test("a comparison has an address", async () => {
  const page = await openScreen(browser, service, "#/versions/main/1..3");
  await shows(page.locator(".compare-heads"), /Version 1[\s\S]*Version 3 \(current\)/);
  await page.getByLabel("Compare with").selectOption("2");
  await shows(page.locator(".compare-heads"), /Version 2[\s\S]*Version 3/);
  assert.equal(hash(page), "#/versions/main/2..3");
  await page.goBack();
  await shows(page.locator(".compare-heads"), /Version 1[\s\S]*Version 3/);
  await done(page);
});

test("an address as versions are named elsewhere, one on a later page, and one that is none", async () => {
  const page = await openScreen(browser, service, "#/versions/main@2");
  await heading(page, 2);
  for (let at = 1; at <= 130; at++) await service.put("many", `${at}\n`);
  await page.goto(`${service.page}/#/versions/many/7`);
  await heading(page, 7);
  await page.goto(`${service.page}/#/versions/main/9`);
  await shows(page.locator("#pane-version"), "There is no version 9 of this template.");
  await done(page);
});

test("Open in the editor opens the version that is shown", async () => {
  const page = await openScreen(browser, service, "#/versions/main/1");
  await page.getByRole("link", { name: "Open in the editor" }).click();
  await shows(text(page), "one");
  await shows(page.getByRole("status", { name: "Save status" }), "Unsaved changes");
  assert.equal(hash(page), "#/edit/main");
  assert.equal(await service.get("main"), "three\n");
  await page.keyboard.press("Control+z");
  await shows(text(page), "three");
  await done(page);
});

test("a version does not replace unsaved text without confirmation", async () => {
  await service.put("mine", "stored 1");
  await service.put("mine", "stored 2");
  const page = await openScreen(browser, service, "#/edit/mine");
  await settled(page);
  await text(page).focus();
  await page.keyboard.press("Control+End");
  await page.keyboard.type(" and mine");
  await page.goto(`${service.page}/#/edit/mine/1`);
  await shows(page.getByRole("status", { name: "Messages" }), "The editor has unsaved text.");
  await shows(text(page), "stored 2 and mine");
  await page.getByRole("button", { name: "Replace by version 1" }).click();
  await shows(text(page), "stored 1");
  await page.keyboard.press("Control+z");
  await shows(text(page), "stored 2 and mine");
  await done(page);
});

test("a deleted template is shown as deleted and is restored from there", async () => {
  await service.put("gone", "first");
  await service.put("gone", "the last text");
  await send(service, "DELETE", "/templates/gone");
  const page = await openScreen(browser, service, "#/edit/gone");
  await shows(page.locator(".version"), "deleted");
  await shows(page.locator(".banner"), "This template was deleted.");
  assert.equal((await text(page).innerText()).includes("helpful coding assistant"), false);
  await clean(page, "deleted");
  await page.getByRole("button", { name: "Restore version 2" }).click();
  await shows(text(page), "the last text");
  await shows(page.locator(".version"), "version 4");
  assert.equal(await service.get("gone"), "the last text");
  assert.equal(await page.locator(".banner").count(), 0);
  await done(page);
});

test("a template beyond the first pages of the list is found and not created again", async () => {
  for (let at = 0; at < 520; at++) await service.put(`t${String(at).padStart(3, "0")}`, `number ${at}`);
  const page = await openScreen(browser, service, "#/edit/main");
  await settled(page);
  await page.getByRole("button", { name: "Template: main" }).click();
  await page.getByRole("searchbox", { name: "Find or create a template" }).fill("t519");
  const row = page.getByRole("option", { name: /^t519/ });
  await shows(row, "version 1");
  assert.doesNotMatch(await row.innerText(), /Create/);
  await page.keyboard.press("Enter");
  await shows(text(page), "number 519");
  await done(page);
});

test("labels are beside the name: added, moved and removed in one step, and taken back", async () => {
  await service.put("deployed", "one");
  await service.put("deployed", "two");
  await send(service, "PUT", "/templates/deployed/labels/prod", { version: 1 });
  const page = await openScreen(browser, service, "#/edit/deployed");
  const labels = page.getByRole("list", { name: "Labels of deployed" });
  await labels.getByRole("button", { name: "Add a label to version 2" }).click();
  await page.keyboard.type("trial");
  await page.keyboard.press("Enter");
  await labels.getByRole("button", { name: "Remove label trial" }).waitFor();
  await shows(labels, /prod\s+is on 1\s+Move here/);
  await labels.getByRole("button", { name: "Move label prod from version 1 to version 2" }).click();
  await labels.getByRole("button", { name: "Remove label prod" }).waitFor();
  await clean(page, "labels");
  await labels.getByRole("button", { name: "Remove label trial" }).click();
  await shows(page.getByRole("status", { name: "Messages" }), "Label trial removed.");
  await page.getByRole("button", { name: "Undo" }).last().click();
  await labels.getByRole("button", { name: "Remove label trial" }).waitFor();
  const { items } = (await send(service, "GET", "/templates/deployed/versions")) as { items: { version: number; labels: string[] }[] };
  assert.deepEqual(items.map(({ version, labels: of }) => [version, ...of]), [[2, "prod", "trial"], [1]]);
  await done(page);
});

test("an address without a screen is reported", async () => {
  const page = await openScreen(browser, service, "#/nonsense/x");
  await shows(page.getByRole("status", { name: "Messages" }), "No screen has this address.");
  await shows(text(page), "three");
  await done(page);
});
