// The command palette: actions, templates and diagnostics by a few letters, with the keyboard alone; and the page of keys.
import AxeBuilder from "@axe-core/playwright";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { openPage, saveState, settled, shows, startBrowser, text, type, type Watched } from "./browser";
import { startService, type Service } from "./service";

let service: Service;
let browser: Browser;

before(async () => {
  service = await startService();
  browser = await startBrowser();
  await service.put("main", "one\ntwo [git:brnach]\n");
  await service.put("review", "You review.\n");
});
after(async () => {
  await browser?.close();
  await service?.end();
});

const field = (page: Watched) => page.getByRole("combobox", { name: "Find a command, template or diagnostic" });
const current = (page: Watched) => page.getByRole("dialog").getByRole("option", { selected: true });

async function find(page: Watched, words: string, row: string): Promise<void> {
  await page.keyboard.press("Control+k");
  await field(page).waitFor();
  await page.keyboard.type(words);
  await shows(current(page), row);
  const active = await field(page).getAttribute("aria-activedescendant");
  assert.equal(await current(page).getAttribute("id"), active, "the field names the current option");
  await page.keyboard.press("Enter");
  await field(page).waitFor({ state: "detached" });
}

test("actions, templates and diagnostics are found and run by keyboard", async () => {
  const page = await openPage(browser, service.page);
  await text(page).focus();
  await page.keyboard.press("Control+End");
  await type(page, "three");
  await find(page, "save", "Save");
  await shows(saveState(page), "Saved as version 2.");

  await find(page, "brnach", "Warning 2:5");
  await page.waitForFunction(() => getSelection()?.toString() === "[git:brnach]");

  await find(page, "opnrev", "Open review");
  await shows(page.getByRole("button", { name: "Template: review" }), "review");
  await shows(text(page), "You review.");

  await find(page, "theme dark", "Theme: dark");
  await page.waitForFunction(() => document.documentElement.dataset.theme === "dark");

  await find(page, "brand-new", "Create template brand-new");
  await shows(page.getByRole("button", { name: "Template: brand-new" }), "brand-new");
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});

test("arrow keys go around the list, Escape closes it and gives the focus back", async () => {
  const page = await openPage(browser, service.page);
  await settled(page);
  await text(page).focus();
  await page.keyboard.press("Control+k");
  await field(page).waitFor();
  // The diagnostics come with the analysis.
  await shows(page.getByRole("dialog"), "Warning 2:5");
  const first = await current(page).innerText();
  await page.keyboard.press("ArrowUp");
  const last = await current(page).innerText();
  assert.notEqual(last, first);
  await page.keyboard.press("ArrowDown");
  assert.equal(await current(page).innerText(), first);
  await page.keyboard.type("zzzqqq[");
  await shows(page.getByRole("dialog"), "Nothing found.");
  await page.keyboard.press("Escape");
  await field(page).waitFor({ state: "detached" });
  assert.ok(await text(page).evaluate((node) => node === document.activeElement), "the text has the focus");
  await page.context().close();
});

test("each action with keys is on the page of keys, and what cannot be done is not offered", async () => {
  const page = await openPage(browser, service.page);
  await page.keyboard.press("F1");
  const keys = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  for (const what of ["Show all commands", "Save", "Go to the next diagnostic"]) await shows(keys, what);
  await page.keyboard.press("Escape");
  await page.goto(`${service.page}/#/health`);
  await page.getByRole("main", { name: "Status" }).waitFor();
  await page.keyboard.press("Control+k");
  await field(page).waitFor();
  assert.equal(await page.getByRole("option", { name: /^Save/ }).count(), 0);
  await page.keyboard.type("main");
  await shows(current(page), "Open main");
  await page.context().close();
});

test("axe finds nothing on the palette", async () => {
  for (const colorScheme of ["light", "dark"] as const) {
    for (const width of [1440, 390]) {
      const page = await openPage(browser, service.page, { colorScheme, viewport: { width, height: 800 } });
      await page.keyboard.press("Control+k");
      await field(page).waitFor();
      await page.keyboard.type("co");
      await page.getByRole("option", { name: /Copy template/ }).waitFor();
      const { violations } = await new AxeBuilder({ page }).analyze();
      assert.deepEqual(violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id} ${html.slice(0, 200)}`)), [], `${colorScheme} ${width}`);
      if (process.env.PREFACE_SHOTS) await page.screenshot({ path: `${process.env.PREFACE_SHOTS}/commands-${width}-${colorScheme}.png` });
      await page.context().close();
    }
  }
});
