// Axe finds nothing on the edit screen: light, dark, 390 wide, at 200 %, and with each dialog open.
import AxeBuilder from "@axe-core/playwright";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { openPage, preview, resolving, settled, startBrowser, text, type Watched } from "./browser";
import { startService, type Service } from "./service";

const TEMPLATE = [
  "You are on [git:branch] in [prompt:cwd], [system:os].",
  "It is [system:time]. [note: gone] [system:tim]",
  "[if file:AGENTS.md]",
  "[file:AGENTS.md]",
  "[else]",
  "None. [prompt:model]",
  "[endif]",
  "[endif] [raw]x[endraw]",
].join("\n");

let service: Service;
let browser: Browser;

before(async () => {
  service = await startService();
  browser = await startBrowser();
  await service.put("main", TEMPLATE);
});
after(async () => {
  await browser?.close();
  await service?.end();
});

async function clean(page: Watched, where: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  const messages = violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary ?? ""}`));
  assert.deepEqual(messages, [], where);
}

async function on(options: BrowserContextOptions, act: (page: Watched) => Promise<void>): Promise<void> {
  const page = await openPage(browser, service.page, options);
  await act(page);
  assert.deepEqual(page.troubles, []);
  await page.context().close();
}

for (const colorScheme of ["light", "dark"] as const) {
  test(`wide, ${colorScheme}`, () => on({ colorScheme }, (page) => clean(page, colorScheme)));

  test(`with completion and a card open, ${colorScheme}`, () =>
    on({ colorScheme }, async (page) => {
      await preview(page).focus();
      await page.keyboard.press("ArrowDown");
      await page.locator(".card-inside").waitFor();
      await clean(page, "a card");
      await text(page).focus();
      await page.keyboard.press("Control+End");
      await page.keyboard.type(" [");
      await page.getByRole("option").first().waitFor();
      await settled(page);
      await clean(page, "completion");
    }));

  test(`on a phone, ${colorScheme}`, () =>
    on({ colorScheme, viewport: { width: 390, height: 844 } }, async (page) => {
      for (const name of ["Template", "Preview", "Variables", "Diagnostics"]) {
        await page.getByRole("tab", { name }).click();
        await clean(page, name);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= 390, `${name} is not wider than the phone: ${wide}`);
      }
    }));
}

test("at 200 %", () =>
  on({ viewport: { width: 720, height: 450 }, deviceScaleFactor: 2 }, async (page) => {
    await clean(page, "200 %");
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 720, "nothing is cut off at the side");
  }));

test("dialogs", () =>
  on({}, async (page) => {
    await page.keyboard.press("F1");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await clean(page, "keys");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: /^Template:/ }).click();
    await page.getByRole("option").first().waitFor();
    await clean(page, "templates");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Reset to default…" }).click();
    await clean(page, "reset");
    await page.keyboard.press("Escape");
    await text(page).focus();
    await page.keyboard.type("mine");
    await page.getByRole("button", { name: "Unsaved texts" }).click();
    await page.getByRole("button", { name: "Open main" }).waitFor();
    await clean(page, "unsaved texts");
    await page.getByRole("button", { name: "Discard main" }).click();
    await page.getByRole("button", { name: "Open discarded main" }).waitFor();
    await clean(page, "discarded texts");
    await page.keyboard.press("Escape");
    await text(page).focus();
    await page.keyboard.type("mine");
    await service.put("main", `theirs ${TEMPLATE}`);
    await page.keyboard.press("Control+s");
    await page.getByRole("button", { name: "Resolve…" }).waitFor();
    await clean(page, "conflict, not resolved");
    await resolving(page);
    await page.getByRole("textbox", { name: "Merged" }).waitFor();
    await clean(page, "conflict");
  }));
