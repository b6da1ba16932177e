// Drafts on the service: how soon they are there, and what other tabs and browsers see of them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { append, drafted, listed, newContext, newPage, openTab, paced, resolving, saveState, settled, shows, startBrowser, text } from "./browser";
import { startService, until, type Service } from "./service";

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

/** A browser of its own with an id that is known here. */
async function browserNamed(id: string): Promise<BrowserContext> {
  const context = await newContext(browser);
  await context.addInitScript((name) => localStorage.setItem("preface-browser", name), id);
  return context;
}

const tabOf = (context: BrowserContext, template: string): Promise<Page> => openTab(context, `${service.page}/#/edit/${template}`);

interface Item {
  name: string;
  id: string;
  bytes: number;
}

async function onService(id: string): Promise<Item[]> {
  const response = await fetch(`${service.url}/drafts`, { headers: { "X-Preface-Browser": id } });
  return ((await response.json()) as { items: Item[] }).items;
}

test("a draft is on the service also while typing goes on, and goes when the text is saved", async () => {
  const context = await browserNamed("browser-typing");
  const page = await tabOf(context, "typing");
  await text(page).focus();
  const start = Date.now();
  let there = 0;
  while (there === 0 && Date.now() - start < 8000) {
    await page.keyboard.type("x");
    await page.waitForTimeout(60);
    if ((await onService("browser-typing")).length > 0) there = Date.now() - start;
  }
  assert.ok(there > 0, "it comes before the keys pause");
  const limit = await paced(page, 2000);
  assert.ok(there <= limit, `it comes after ${there} ms, and may after ${limit} ms`);
  await page.keyboard.press("Control+s");
  await shows(saveState(page), "Saved as version 1.");
  await until(async () => (await onService("browser-typing")).length === 0, "the draft is still on the service");
  await context.close();
});

test("another browser of the same owner lists a draft, opens it on its version, and merges it at the save", async () => {
  await service.put("elsewhere", "one\ntwo\nthree\n");
  const first = await browserNamed("browser-shared");
  const writing = await tabOf(first, "elsewhere");
  await append(writing, "mine");
  await until(async () => (await onService("browser-shared"))[0]?.bytes === 18, "the draft does not reach the service");
  await first.close();
  await service.put("elsewhere", "one, theirs\ntwo\nthree\n");

  const second = await browserNamed("browser-shared");
  const page = await tabOf(second, "main");
  const list = await listed(page);
  await shows(list, "from another browser");
  await list.getByRole("button", { name: "Open elsewhere" }).click();
  await page.waitForURL(/elsewhere$/);
  await shows(text(page), "mine");
  await page.keyboard.press("Control+s");
  const dialog = await resolving(page);
  await shows(dialog, "The changes do not overlap and are merged.");
  await dialog.getByRole("button", { name: "Save both" }).click();
  await shows(saveState(page), "Saved as version 3.");
  assert.equal(await service.get("elsewhere"), "one, theirs\ntwo\nthree\nmine");
  await second.close();
});

test("a draft of another browser is discarded with a way back", async () => {
  const first = await browserNamed("browser-discard");
  await append(await tabOf(first, "remote"), "far away");
  await until(async () => (await onService("browser-discard")).length === 1, "the draft does not reach the service");
  await first.close();
  const second = await browserNamed("browser-discard");
  const page = await tabOf(second, "main");
  const list = await listed(page);
  await list.getByRole("button", { name: "Discard remote" }).click();
  await until(async () => (await onService("browser-discard")).length === 0, "it is still on the service");
  await list.getByRole("button", { name: "Open discarded remote" }).click();
  await page.waitForURL(/remote$/);
  await shows(text(page), "far away");
  await second.close();
});

test("another browser without an access token sees nothing of it", async () => {
  const first = await browserNamed("browser-one");
  await append(await tabOf(first, "private"), "private");
  await until(async () => (await onService("browser-one")).length === 1, "the draft does not reach the service");
  const second = await browserNamed("browser-two");
  await shows(await listed(await tabOf(second, "main")), "There are no unsaved texts.");
  await first.close();
  await second.close();
});

test("a token that does not permit drafts changes nothing but that", async () => {
  const context = await newContext(browser);
  await context.route(/\/drafts/, (route) =>
    route.fulfill({ status: 403, contentType: "application/problem+json", body: JSON.stringify({ status: 403, code: "role", detail: "no" }) }),
  );
  const page = await tabOf(context, "reader");
  await append(page, "mine");
  await drafted(page, "reader", "mine");
  await shows(await listed(page), "reader");
  assert.equal(await page.getByRole("alert").count(), 0);
  await context.close();
});

test("37: an unsaved text is not offered for another store at the same address", async () => {
  const context = await newContext(browser);
  const page = await tabOf(context, "stores");
  await append(page, "of the first store");
  await drafted(page, "stores", "of the first store");
  await page.close();
  const other = await newPage(context);
  await other.route(`${service.page}/`, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).replace(/(name="preface-store" content=")[0-9a-f]{16}/, "$1ffffffffffffffff") });
  });
  await other.goto(`${service.page}/#/edit/stores`);
  await settled(other);
  assert.match((await other.locator('meta[name="preface-store"]').getAttribute("content"))!, /^f+$/);
  assert.equal((await other.locator(".banner").allInnerTexts()).join(), "");
  assert.doesNotMatch(await text(other).innerText(), /first store/);
  await shows(text(await tabOf(context, "stores")), "of the first store");
  await context.close();
});
