// Nothing that was written is lost: over a reload, while the service is away, while its store is, and after it was started anew.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { drafted, newContext, newPage, openPage, saveState, settled, shows, startBrowser, text, type } from "./browser";
import { startService, type Service } from "./service";

let service: Service;
let browser: Browser;

before(async () => {
  service = await startService();
  browser = await startBrowser();
  await service.put("main", "stored\n");
});
after(async () => {
  await browser?.close();
  await service?.end();
});

test("unsaved text is back after a reload, can be discarded, and needs confirmation before", async () => {
  const page = await openPage(browser, service.page);
  let dialogs = 0;
  page.on("dialog", () => dialogs++);
  await text(page).focus();
  await page.keyboard.press("Control+End");
  await type(page, "unsaved");
  await page.reload();
  await settled(page);
  assert.equal(dialogs, 1, "the browser requests confirmation before unsaved text goes");
  await shows(text(page), "unsaved");
  await shows(page.locator(".banner"), "draft restored");
  await page.getByRole("button", { name: "Discard draft" }).click();
  await page.waitForFunction(() => !document.querySelector(".text .cm-content")?.textContent?.includes("unsaved"));
  await page.reload();
  await settled(page);
  assert.equal(dialogs, 1, "no confirmation where nothing is unsaved");
  await page.context().close();
});

test("a closed tab's unsaved text is offered to the next tab, once, and to no tab beside it", async () => {
  await service.put("closed", "stored\n");
  const context = await newContext(browser);
  const openTab = async () => {
    const page = await newPage(context);
    await page.goto(`${service.page}/#/edit/closed`);
    await settled(page);
    return page;
  };
  const first = await openTab();
  await text(first).focus();
  await first.keyboard.press("Control+End");
  await type(first, "nowhere else");
  await drafted(first, "closed", "nowhere else");
  const beside = await openTab();
  await shows(text(beside), "stored");
  assert.equal(await beside.locator(".banner").count(), 0, "a draft belongs to its tab while that lives");
  await beside.close();
  await first.close();
  const second = await openTab();
  await shows(text(second), "nowhere else");
  await shows(second.locator(".banner"), "draft restored");
  await second.close();
  const third = await openTab();
  await shows(text(third), "nowhere else");
  await third.getByRole("button", { name: "Discard draft" }).click();
  await drafted(third, "closed", null);
  await third.close();
  const fourth = await openTab();
  await shows(text(fourth), "stored");
  assert.equal(await fourth.locator(".banner").count(), 0, "what was discarded is gone");
  await context.close();
});

test("another screen and another template keep the unsaved text and its undo", async () => {
  const page = await openPage(browser, service.page);
  await text(page).focus();
  await page.keyboard.press("Control+End");
  await type(page, "here");
  await page.getByRole("link", { name: "Status" }).click();
  await page.getByRole("heading", { name: "Status" }).first().waitFor();
  await page.getByRole("link", { name: /Edit/ }).click();
  await shows(text(page), "here");
  await page.goto(`${service.page}/#/edit/other`);
  await page.getByRole("button", { name: "Template: other" }).waitFor();
  await page.goto(`${service.page}/#/edit/main`);
  await shows(text(page), "here");
  await text(page).focus();
  await page.keyboard.press("Control+z");
  await page.waitForFunction(() => !document.querySelector(".text .cm-content")?.textContent?.includes("here"));
  await page.context().close();
});

test("7: while the service is away nothing is lost, and a restart needs no reload", async () => {
  const page = await openPage(browser, service.page);
  await text(page).focus();
  await page.keyboard.press("Control+End");
  await type(page, "kept");
  await service.stop();
  await page.keyboard.type(" on");
  await shows(page.locator(".preview .trouble"), "not responding");
  await page.keyboard.press("Control+s");
  await shows(saveState(page), "Not saved.");
  await shows(page.locator(".banner"), "Your changes are stored in this browser");
  await service.start();
  await page.locator(".banner").waitFor({ state: "detached" });
  // The page has the token of the earlier start, which is not valid any more.
  await page.keyboard.press("Control+s");
  await shows(saveState(page), /Saved as version/);
  assert.equal(await service.get("main"), "stored\nkept on");
  await page.context().close();
});

test("while the store is away the default is shown to read only, until it is back", async () => {
  await service.put("main", "mine\n");
  const page = await newPage(await newContext(browser));
  await page.route("**/templates/main", (route) =>
    route.request().method() === "GET"
      ? route.fulfill({ json: { template: "the default" }, headers: { "Preface-Degraded": "store" } })
      : route.continue(),
  );
  await page.goto(service.page);
  await shows(page.locator(".banner"), "read-only");
  await page.locator(".text .cm-content").focus();
  await page.keyboard.type("x");
  await shows(page.locator(".text .cm-content"), /^the default$/);
  assert.ok(await page.getByRole("button", { name: /^Save/ }).first().isDisabled());
  await page.unroute("**/templates/main");
  await page.locator(".banner").waitFor({ state: "detached" });
  await shows(page.locator(".text .cm-content"), "mine");
  await text(page).focus();
  await page.keyboard.press("Control+End");
  await type(page, "more");
  await page.keyboard.press("Control+s");
  await shows(saveState(page), /Saved as version/);
  await page.context().close();
});
