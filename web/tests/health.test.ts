// Health: the service, its store and numbers, and what is active in a directory.
import assert from "node:assert/strict";
import { rename } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { shows, startBrowser } from "./browser";
import { clean, done, inert, openScreen, PHONE, SCHEMES, send } from "./screens";
import { startService, type Service } from "./service";

let service: Service;
let browser: Browser;

before(async () => {
  service = await startService();
  browser = await startBrowser();
  for (const id of ["a", "a", "b"]) await send(service, "POST", `/conversations/${id}/turns`, { options: { directory: service.root } });
});
after(async () => {
  await browser?.close();
  await service?.end();
});

/**
 * Serves `/scopes` from a file, so that every kind of entry is there whatever this machine has. A test of the service
 * (`crates/server/tests/scopes.rs`) compares the file with a real response.
 */
async function stub(page: Page): Promise<void> {
  const file = path.join(process.cwd(), "tests/scopes.json");
  await page.route("**/scopes?*", (route) => route.fulfill({ path: file, contentType: "application/json" }));
}

test("the service, its store and a few numbers", async () => {
  const page = await openScreen(browser, service, "#/health");
  const vitals = page.locator(".vitals");
  await shows(vitals, /Service\s+Up\s+Version \d/);
  await shows(vitals, /Store\s+Up\s+SQLite/);
  await shows(vitals, /Prompts built\s+2\s+2 on a first turn/);
  await shows(vitals, /Requests\s+\d+\s+None failed\. Median/);
  await shows(page.getByRole("status").first(), "Service and store are up.");
  await done(page);
});

test("an unreachable service is reported, and so is its return", async () => {
  const page = await openScreen(browser, service, "#/health");
  await shows(page.locator(".vitals"), /Service\s+Up/);
  await service.stop();
  await page.getByRole("button", { name: "Reload" }).click();
  await shows(page.locator(".vitals"), /Service\s+Down/);
  await clean(page, "away");
  await service.start();
  await page.getByRole("button", { name: "Reload" }).click();
  await shows(page.locator(".vitals"), /Service\s+Up/);
  page.troubles = page.troubles.filter((trouble) => !/ERR_CONNECTION/.test(trouble));
  await done(page);
});

test("an unreachable store is shown differently from an unreachable service", async () => {
  const page = await openScreen(browser, service, "#/health");
  await shows(page.locator(".vitals"), /Store\s+Up/);
  const store = path.join(service.root, "../store.db");
  await rename(store, `${store}.away`);
  await page.getByRole("button", { name: "Reload" }).click();
  await shows(page.locator(".vitals"), /Store\s+Down/);
  await shows(page.locator(".vitals"), /Service\s+Up/);
  await shows(page.getByRole("status").first(), "The store is unavailable");
  await clean(page, "a store away");
  await rename(`${store}.away`, store);
  await page.getByRole("button", { name: "Reload" }).click();
  await shows(page.locator(".vitals"), /Store\s+Up/);
  page.troubles = page.troubles.filter((trouble) => !/status of 50[03]/.test(trouble));
  await done(page);
});

test("an address that is missing is reported as an error", async () => {
  const page = await openScreen(browser, service, "about:blank");
  await page.route("**/scopes?*", (route) => route.fulfill({ status: 404, contentType: "application/problem+json", body: '{"code":"no-route","detail":"no such address"}' }));
  await page.goto(`${service.page}/#/health`);
  await shows(page.locator(".scopes").getByRole("alert"), "No such address.");
  page.troubles = page.troubles.filter((trouble) => !/status of 404/.test(trouble));
  await done(page);
});

test("what is active, what it hides, what is off or held, and why", async () => {
  const page = await openScreen(browser, service, "about:blank");
  await stub(page);
  await page.goto(`${service.page}/#/health`);
  const tools = page.getByRole("region", { name: "Tools" });
  await shows(tools, /bash\s*hidden\s+run a shell command\s+Hidden by the project entry/);
  await shows(tools, /bash\s*active\s+Runs commands, strictly\.\s+Hides the global entry .* and the bundled entry/);
  await shows(tools, /grep\s*off\s+.*\s+Disabled by .*settings\.json, line 3/);
  await shows(tools, /broken\s*broken/);
  await shows(page.getByRole("region", { name: "Context providers" }), /house-rules\s*untrusted\s+Not trusted\. Review it with/);
  await shows(page.getByRole("region", { name: "MCP servers" }), /docs\s*needs grant/);
  await page.getByLabel("Active only").check();
  assert.equal(await tools.getByText("hidden", { exact: true }).count(), 0);
  await page.getByLabel("Filter").fill("edit");
  assert.equal(await page.locator(".entry").count(), 1);
  await page.getByLabel("Filter").fill("nobody");
  await shows(page.locator(".scopes"), "No matches.");
  await page.getByLabel("Filter").fill("");
  await inert(page);
  await done(page);
});

test("the service reports its own root", async () => {
  assert.equal((await fetch(`${service.url}/scopes?preset=default`)).status, 200);
  const page = await openScreen(browser, service, "#/health");
  await page.getByRole("textbox", { name: "Preset" }).fill("default");
  await page.keyboard.press("Enter");
  await shows(page.getByRole("region", { name: "Tools" }), /bash\s*active/);
  await page.getByRole("textbox", { name: "Directory" }).fill("/");
  await page.keyboard.press("Enter");
  await page.locator(".scopes").getByRole("alert").waitFor();
  page.troubles = page.troubles.filter((trouble) => !/status of 403/.test(trouble));
  await done(page);
});

test("a directory and a preset are sent", async () => {
  const page = await openScreen(browser, service, "about:blank");
  await stub(page);
  await page.goto(`${service.page}/#/health`);
  await page.locator(".entry").first().waitFor();
  await page.getByRole("textbox", { name: "Directory" }).fill("/some/where & else");
  await page.getByRole("textbox", { name: "Preset" }).fill("stud");
  const [request] = await Promise.all([page.waitForRequest("**/scopes?*"), page.keyboard.press("Enter")]);
  const query = new URL(request.url()).searchParams;
  assert.deepEqual([query.get("cwd"), query.get("preset")], ["/some/where & else", "stud"]);
  await done(page);
});

for (const colorScheme of SCHEMES) {
  for (const [where, options] of [["wide", {}], ["on a phone", PHONE]] as const) {
    test(`axe, ${where}, ${colorScheme}`, async () => {
      const page = await openScreen(browser, service, "about:blank", { colorScheme, ...options });
      await stub(page);
      await page.goto(`${service.page}/#/health`);
      await page.locator(".entry").first().waitFor();
      await shows(page.locator(".vitals"), "Up");
      await clean(page, where);
      await done(page);
    });
  }
}
