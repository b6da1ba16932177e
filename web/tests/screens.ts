// What the tests of versions, conversations and health have in common.
import AxeBuilder from "@axe-core/playwright";
import assert from "node:assert/strict";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { watchedPage, type Watched } from "./browser";
import type { Service } from "./service";

export const SCRIPT = "<img src=x onerror=window.pwned=1><script>window.pwned=1</script>";
export const BIDI = "\u202egpj.exe\u2066\u200b";

/** Opens a screen by its address. */
export async function openScreen(browser: Browser, service: Service, hash: string, options: BrowserContextOptions = {}): Promise<Watched> {
  const page = await watchedPage(browser, options);
  await page.goto(hash === "about:blank" ? hash : `${service.page}/${hash}`);
  return page;
}

export async function done(page: Watched): Promise<void> {
  assert.deepEqual(page.troubles, []);
  await page.context().close();
}

/** Axe finds nothing, and nothing is wider than the window. */
export async function clean(page: Watched, where: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  const messages = violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary ?? ""}`));
  assert.deepEqual(messages, [], where);
  const [wide, room] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(wide! <= room!, `${where} is wider than the window: ${wide}`);
}

/** No text of a user has become a part of the page or has run, and no hidden character is outside of texts. */
export async function inert(page: Watched): Promise<void> {
  assert.equal(await page.evaluate("window.pwned"), undefined);
  assert.equal(await page.locator("#app img[src=x], #app script, #app b").count(), 0);
  const raw = await page.evaluate(() => {
    const outside = document.createTreeWalker(document.querySelector("#app")!, NodeFilter.SHOW_TEXT);
    for (let node = outside.nextNode(); node; node = outside.nextNode()) {
      if (/[\u202e\u2066]/.test(node.textContent ?? "")) return node.textContent;
    }
    return null;
  });
  assert.equal(raw, null, "hidden characters are written out");
}

/** Sends a request that must succeed; returns the response. */
export async function send(service: Service, method: string, where: string, body?: unknown): Promise<Record<string, unknown>> {
  const init: RequestInit = { method };
  if (body !== undefined) Object.assign(init, { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } });
  const response = await fetch(service.url + where, init);
  assert.ok(response.ok, `${method} ${where}: ${response.status}`);
  const text = await response.text();
  return text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
}

export const SCHEMES = ["light", "dark"] as const;
export const PHONE = { viewport: { width: 390, height: 844 } };
/** A window of 1440 by 900 at 200 %. */
export const ZOOMED = { viewport: { width: 720, height: 450 }, deviceScaleFactor: 2 };
