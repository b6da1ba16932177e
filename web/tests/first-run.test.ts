// A store without a template: what the page is for, and templates to start from.
import AxeBuilder from "@axe-core/playwright";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { EXAMPLES } from "../src/edit/examples";
import { openPage, saveState, settled, shows, startBrowser, text, type } from "./browser";
import { startService, type Service } from "./service";

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

test("each example builds, here and without files", async () => {
  assert.ok(EXAMPLES.length >= 4);
  for (const { title, text: template } of EXAMPLES) {
    const { preview, diagnostics } = (await service.analyze(template)) as {
      preview: { text: string } | null;
      diagnostics: { severity: string; code: string; message: string }[];
    };
    assert.ok(preview && preview.text.length > 200, title);
    assert.doesNotMatch(preview.text, /\[(if|else|endif|file|git|prompt|system)\b/, title);
    const found = diagnostics.filter(({ severity, code }) => severity !== "info" || code === "template/near-miss");
    assert.deepEqual(found, [], title);
  }
});

test("axe finds nothing, in light and dark, wide and narrow", async () => {
  for (const colorScheme of ["light", "dark"] as const) {
    for (const width of [1440, 390]) {
      const page = await openPage(browser, service.page, { colorScheme, viewport: { width, height: 844 } });
      await page.getByRole("region", { name: "Start" }).waitFor();
      const { violations } = await new AxeBuilder({ page }).analyze();
      assert.deepEqual(violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id} ${html.slice(0, 200)}`)), [], `${colorScheme} ${width}`);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing is wider than the window");
      if (process.env.PREFACE_SHOTS) await page.screenshot({ path: `${process.env.PREFACE_SHOTS}/first-${width}-${colorScheme}.png` });
      await page.context().close();
    }
  }
});

test("an example is tried, taken back, and saved; then the store is not empty any more", async () => {
  const page = await openPage(browser, service.page);
  const start = page.getByRole("region", { name: "Start" });
  const before = await text(page).innerText();
  await start.getByRole("button", { name: /^Code reviewer/ }).click();
  await shows(text(page), "You review changes to code.");
  await settled(page);
  assert.equal(await start.getByRole("button", { pressed: true }).count(), 1);
  await text(page).focus();
  await page.keyboard.press("Control+z");
  assert.equal(await text(page).innerText(), before, "undo restores the text");
  await start.getByRole("button", { name: /^Coding agent/ }).press("Enter");
  await shows(text(page), "You are a coding agent.");
  await text(page).focus();
  await page.keyboard.press("Control+End");
  await type(page, "Mine.");
  await start.waitFor({ state: "detached" });
  await page.keyboard.press("Control+s");
  await shows(saveState(page), "Saved as version 1.");
  await page.reload();
  await settled(page);
  await page.waitForLoadState("networkidle");
  assert.equal(await start.count(), 0);
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});
