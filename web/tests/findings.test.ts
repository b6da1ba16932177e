// Many diagnostics: filtered, grouped, and in a box whose height is set; and what a phone has in its menu.
import AxeBuilder from "@axe-core/playwright";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { openPage, settled, shows, startBrowser } from "./browser";
import { startService, type Service } from "./service";

let service: Service;
let browser: Browser;

before(async () => {
  service = await startService();
  browser = await startBrowser();
  const lines = Array.from({ length: 30 }, (_, at) => `[git:nothing${at}] {{x${at}}}`);
  await service.put("main", `${lines.join("\n")}\n[system:date]\n[endif]\n`);
});
after(async () => {
  await browser?.close();
  await service?.end();
});

test("diagnostics are filtered by severity and grouped by code", async () => {
  const page = await openPage(browser, service.page);
  const filter = page.getByRole("group", { name: "Filter diagnostics" });
  const rows = page.locator(".findings .finding:visible");
  const all = await rows.count();
  await filter.getByRole("button", { name: /warnings$/ }).click();
  assert.ok((await rows.count()) < all);
  assert.deepEqual([...new Set(await page.locator(".finding .severity").allTextContents())], ["Warning"]);
  await filter.getByRole("button", { name: /^All/ }).click();
  assert.equal(await rows.count(), all);
  await filter.getByRole("button", { name: "Group by code" }).press("Enter");
  assert.equal(await rows.count(), 0, "groups are closed at first");
  const group = page.locator(".findings-group", { hasText: "template/unknown-name" });
  await shows(group, "30 places");
  await group.locator("summary").press("Enter");
  assert.equal(await group.locator(".finding:visible").count(), 30);
  const { violations } = await new AxeBuilder({ page }).analyze();
  assert.deepEqual(violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id} ${html.slice(0, 200)}`)), []);
  if (process.env.PREFACE_SHOTS) await page.screenshot({ path: `${process.env.PREFACE_SHOTS}/findings-1440.png` });
  await page.context().close();
});

test("the height of the diagnostics is set by keyboard, kept over a reload and reset", async () => {
  const page = await openPage(browser, service.page);
  const handle = page.getByRole("separator", { name: "Resize: Template and Diagnostics" });
  const height = async () => (await page.locator(".findings-box").boundingBox())!.height;
  const before = await height();
  await handle.focus();
  for (let step = 0; step < 4; step++) await page.keyboard.press("ArrowUp");
  const higher = await height();
  assert.ok(higher > before + 60, `${before} → ${higher}`);
  await page.reload();
  await settled(page);
  assert.equal(await height(), higher);
  await handle.press("Enter");
  assert.equal(await height(), before);
  await page.context().close();
});

for (const viewport of [{ width: 1440, height: 900 }, { width: 390, height: 844 }])
  test(`a message covers no control at ${viewport.width} pixels`, async () => {
    const page = await openPage(browser, service.page, { viewport });
    await page.getByRole("button", { name: /^Add a label/ }).click();
    await page.keyboard.type(`on-${viewport.width}`);
    await page.keyboard.press("Enter");
    const message = page.locator(".toast");
    await message.waitFor();
    const covered = await message.evaluate((toast) => {
      const its = toast.getBoundingClientRect();
      return [...document.querySelectorAll<HTMLElement>("button, a, input, summary, .panel")]
        .filter((one) => !toast.contains(one) && one.getClientRects().length > 0 && (one.matches(".panel") || !one.closest(".panel")))
        .filter((one) => {
          const { top, bottom, left, right } = one.getBoundingClientRect();
          return top < its.bottom && bottom > its.top && left < its.right && right > its.left;
        })
        .map((one) => one.outerHTML.slice(0, 80));
    });
    assert.deepEqual(covered, []);
    await page.context().close();
  });

test("a phone has reset, unsaved texts and print in a menu", async () => {
  const page = await openPage(browser, service.page, { viewport: { width: 390, height: 844 } });
  await page.evaluate(() => {
    window.print = () => void (document.title = "printed");
  });
  const menu = page.locator(".bar-more");
  const open = () => menu.locator("summary").click();
  await open();
  const { violations } = await new AxeBuilder({ page }).analyze();
  assert.deepEqual(violations.map(({ id }) => id), []);
  if (process.env.PREFACE_SHOTS) await page.screenshot({ path: `${process.env.PREFACE_SHOTS}/menu-390.png` });
  await menu.getByRole("button", { name: "Print the preview" }).click();
  assert.equal(await page.title(), "printed");
  await open();
  await menu.getByRole("button", { name: "Reset to default…" }).click();
  const dialog = page.getByRole("dialog", { name: /Reset/ });
  await dialog.waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await open();
  await menu.getByRole("button", { name: "Unsaved texts…" }).click();
  await page.getByRole("dialog", { name: /unsaved/i }).waitFor();
  await page.context().close();
});
