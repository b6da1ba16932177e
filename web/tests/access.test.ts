// A service with access tokens: one that permits no writes, one that is refused, and none.
import AxeBuilder from "@axe-core/playwright";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Route } from "playwright-core";
import { shows, startBrowser, text, watchedPage } from "./browser";
import { startService, until, type Service } from "./service";

let service: Service;
let browser: Browser;

before(async () => {
  service = await startService();
  browser = await startBrowser();
  await service.put("main", "one\n");
});
after(async () => {
  await browser?.close();
  await service?.end();
});

const problem = (route: Route, status: number, code: string, detail: string) =>
  route.fulfill({ status, contentType: "application/problem+json", body: JSON.stringify({ status, code, detail }) });

test("with a reader's token the page is read-only from the start and states why", async () => {
  const page = await watchedPage(browser);
  await page.route(/\/templates/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, headers: { ...response.headers(), "preface-role": "read" } });
  });
  await page.route("**/system-prompt/analyze", (route) =>
    problem(route, 403, "role", "the role `analyze` is required; the token `ann` has the role `read`"),
  );
  await page.goto(service.page);
  const banner = page.locator(".banner", { hasText: "This page is read-only." });
  await shows(banner, "The role write is required; the access token has the role read.");
  await until(async () => (await text(page).getAttribute("contenteditable")) === "false", "the text can be edited");
  await text(page).focus();
  await page.keyboard.type("X");
  await shows(text(page), "one");
  assert.ok(await page.getByRole("button", { name: "Save", exact: true }).isDisabled());
  assert.equal(await page.getByRole("button", { name: "Reset to default…" }).count(), 0);
  await banner.getByRole("button", { name: "Use another token…" }).click();
  await page.getByRole("dialog", { name: "Access token required" }).waitFor();
  assert.equal(await page.getByRole("alert").filter({ hasText: "refused" }).count(), 0, "nothing was refused yet");
  await page.context().close();
});

test("a refused token is named so in the dialog, and a closed dialog stays closed", async () => {
  const page = await watchedPage(browser);
  await page.route(/\/(system-prompt|templates)/, (route) => {
    const { authorization, ...headers } = route.request().headers();
    if (authorization === "Bearer GOOD") return route.continue({ headers });
    return problem(route, 401, authorization ? "token-unknown" : "token-missing", "an access token is required");
  });
  await page.goto(service.page);
  const dialog = page.getByRole("dialog", { name: "Access token required" });
  await dialog.waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  const banner = page.locator(".banner", { hasText: "The service requires an access token." });
  await banner.waitFor();
  await page.waitForTimeout(1000);
  assert.equal(await dialog.count(), 0, "the dialog does not come back by itself");
  await banner.getByRole("button", { name: "Enter a token…" }).click();
  await dialog.getByLabel("Access token").fill("BAD");
  await page.keyboard.press("Enter");
  await shows(dialog.getByRole("alert"), "The service refused this token");
  const { violations } = await new AxeBuilder({ page }).analyze();
  assert.deepEqual(violations.map(({ id }) => id), []);
  await dialog.getByLabel("Access token").fill("GOOD");
  await page.keyboard.press("Enter");
  await shows(text(page), "one");
  await page.context().close();
});
