// Drafts and stores: what belongs to one store is not offered for another.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { append, drafted, newContext, newPage, openTab, settled, startBrowser, text, shows } from "./browser";
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

const tabOf = (context: BrowserContext, template: string): Promise<Page> => openTab(context, `${service.page}/#/edit/${template}`);

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
