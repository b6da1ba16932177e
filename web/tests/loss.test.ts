// Nothing that was typed is lost: crashes, dialogs, many texts, other clients, and plain HTTP.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import {
  append,
  crash,
  drafted,
  draftsOf,
  listed,
  newContext,
  newPage,
  openPage,
  openTab,
  resolving,
  saveState,
  settled,
  shows,
  startBrowser,
  text,
} from "./browser";
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

const tabOf = (context: BrowserContext, template: string): Promise<Page> => openTab(context, `${service.page}/#/edit/${template}`);

async function conflict(name: string, base: string, mine: string, theirs: string) {
  await service.put(name, base);
  const page = await openPage(browser, `${service.page}/#/edit/${name}`);
  await append(page, mine);
  await service.put(name, theirs);
  await page.keyboard.press("Control+s");
  const dialog = await resolving(page);
  const merged = dialog.getByRole("textbox", { name: "Merged" });
  await merged.waitFor();
  await merged.focus();
  await page.keyboard.press("Control+End");
  await page.keyboard.type(" by hand");
  return { page, dialog };
}

test("6: while typing goes on without a pause, a crash loses at most the last second", async () => {
  const context = await newContext(browser);
  const page = await tabOf(context, "typing");
  await text(page).focus();
  const start = Date.now();
  let typed = 0;
  let stored = -1;
  // Each key comes sooner than the pause after which a draft is written.
  while (Date.now() - start < 4000) {
    await page.keyboard.type("x");
    typed++;
    await page.waitForTimeout(60);
    if (Date.now() - start > 2500 && stored < 0) stored = (await draftsOf(page, "typing"))[0]?.length ?? 0;
  }
  assert.ok(stored > 0, "the draft is written while keys come");
  await crash(page);
  const again = await tabOf(context, "typing");
  await shows(again.locator(".banner"), "draft restored");
  const back = (await text(again).innerText()).replace(/\W/g, "").length;
  const second = Math.ceil((typed / (Date.now() - start)) * 1000) + 20;
  assert.ok(back >= typed - second, `${back} of ${typed} are back`);
  await context.close();
});

test("14: what was merged by hand survives Escape, is one undo away from the text before, and the conflict is back at the next save", async () => {
  const { page, dialog } = await conflict("merge-escape", "one\n", "mine", "theirs\n");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await shows(text(page), "mine by hand");
  await shows(text(page), "theirs");
  await page.keyboard.press("Control+s");
  await shows(await resolving(page), "mine by hand");
  await page.keyboard.press("Escape");
  await text(page).focus();
  await page.keyboard.press("Control+z");
  await shows(text(page), /one\s*mine$/);
  await page.context().close();
});

test("15: what was merged by hand is one undo away after theirs was taken", async () => {
  const { page, dialog } = await conflict("merge-theirs", "one\n", "mine", "theirs\n");
  await dialog.getByRole("button", { name: "Take theirs", exact: true }).click();
  await shows(text(page), /^theirs\s*$/);
  await text(page).focus();
  await page.keyboard.press("Control+z");
  await shows(text(page), "mine by hand");
  await page.context().close();
});

test("16: what was merged by hand survives a reload", async () => {
  const { page } = await conflict("merge-reload", "one\n", "mine", "theirs\n");
  await page.reload();
  await settled(page);
  await shows(text(page), "mine by hand");
  await page.context().close();
});

test("17, 18, 19: a second after the last key, the browser is killed", async () => {
  const profile = await mkdtemp(path.join(os.tmpdir(), "preface-profile-"));
  const flags = { executablePath: process.env.CHROMIUM_BIN ?? "/usr/bin/chromium", args: ["--headless", "--no-sandbox", "--disable-gpu"] };
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  const begin = async () => {
    const child = spawn(flags.executablePath, [...flags.args, `--remote-debugging-port=${port}`, `--user-data-dir=${profile}`, "about:blank"], { stdio: "ignore", detached: true });
    await until(async () => (await fetch(`http://127.0.0.1:${port}/json/version`)).ok, "the browser does not start", 20_000);
    const connected = await chromium.connectOverCDP(`http://127.0.0.1:${port}`);
    return { child, connected, page: await tabOf(connected.contexts()[0]!, "killed") };
  };
  const first = await begin();
  await append(first.page, "on the disk");
  await first.page.waitForTimeout(1000);
  const gone = new Promise((done) => first.child.once("exit", done));
  process.kill(-first.child.pid!, "SIGKILL");
  await gone;
  await first.connected.close().catch(() => {});
  const second = await begin();
  await shows(text(second.page), "on the disk");
  process.kill(-second.child.pid!, "SIGKILL");
  await second.connected.close().catch(() => {});
  await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
});

test("23: Reset… mentions unsaved text, and Undo restores text and unsaved text", async () => {
  await service.put("main", "stored\n");
  const page = await openPage(browser, service.page);
  await append(page, "unsaved");
  await page.getByRole("button", { name: "Reset to default…" }).click();
  const dialog = page.getByRole("dialog");
  await shows(dialog, "Your unsaved changes are discarded too.");
  await dialog.getByRole("button", { name: "Reset to default" }).click();
  await shows(saveState(page), "Reset to the default.");
  await page.locator(".toast").getByRole("button", { name: "Undo" }).click();
  await shows(text(page), /stored\s*unsaved/);
  assert.equal(await service.get("main"), "stored\n");
  await page.context().close();
});

test("23, 24: what Delete… took along is in the list of unsaved texts after a reload", async () => {
  await service.put("deleted", "stored\n");
  const page = await openPage(browser, `${service.page}/#/edit/deleted`);
  await append(page, "unsaved");
  const remove = async () => {
    await page.getByRole("button", { name: "Delete…" }).click();
    await shows(page.getByRole("dialog"), "Your unsaved changes are discarded too.");
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.waitForURL(/#\/edit\/main$/);
  };
  await remove();
  await page.locator(".toast").getByRole("button", { name: "Undo" }).click();
  await page.waitForURL(/#\/edit\/deleted$/);
  await shows(text(page), /stored\s*unsaved/);
  assert.equal(await service.get("deleted"), "stored\n");
  await remove();
  await page.reload();
  await settled(page);
  const list = await listed(page);
  await list.getByRole("button", { name: "Open discarded deleted" }).first().click();
  await page.waitForURL(/#\/edit\/deleted$/);
  await shows(text(page), /stored\s*unsaved/);
  await page.context().close();
});

test("26: Discard can be undone, also after a reload", async () => {
  await service.put("discarded", "stored\n");
  const page = await openPage(browser, `${service.page}/#/edit/discarded`);
  await append(page, "unsaved");
  await page.reload();
  await settled(page);
  await page.getByRole("button", { name: "Discard draft" }).click();
  await page.locator(".toast").getByRole("button", { name: "Undo" }).click();
  await shows(text(page), /stored\s*unsaved/);
  const list = await listed(page);
  await list.getByRole("button", { name: "Discard discarded" }).click();
  await list.getByRole("button", { name: "Open discarded discarded" }).first().waitFor();
  await page.keyboard.press("Escape");
  await drafted(page, "discarded", null);
  await page.reload();
  await settled(page);
  await shows(text(page), /^stored\s*$/);
  await (await listed(page)).getByRole("button", { name: "Open discarded discarded" }).first().click();
  await shows(text(page), /stored\s*unsaved/);
  await page.context().close();
});

test("27: what the browser does not store is warned of, at once and at leaving", async () => {
  const context = await newContext(browser);
  await context.addInitScript("IDBObjectStore.prototype.put = () => { throw new DOMException('full', 'QuotaExceededError'); }");
  const page = await tabOf(context, "full");
  let dialogs = 0;
  page.on("dialog", (dialog) => (dialogs++, void dialog.accept()));
  await append(page, "x");
  await shows(page.locator(".banner"), "Browser storage is full");
  await page.reload();
  assert.equal(dialogs, 1);
  await context.close();
});

test("29: three texts of 0.9 MB are kept", async () => {
  const context = await newContext(browser);
  for (const name of ["large-1", "large-2", "large-3"]) {
    await service.put(name, "line of text\n".repeat(70_000));
    const page = await tabOf(context, name);
    await append(page, name);
    await drafted(page, name, name);
    await page.close();
  }
  const page = await tabOf(context, "large-1");
  await shows(page.locator(".banner"), "draft restored");
  for (const name of ["large-1", "large-2", "large-3"]) assert.equal((await draftsOf(page, name))[0]?.length, name.length + 13 * 70_000);
  await context.close();
});

test("30, 31: of ten unsaved texts none goes, and the list shows them with a way to open and discard each", async () => {
  const context = await newContext(browser);
  const names = Array.from({ length: 10 }, (_, at) => `many-${at}`);
  const one = await tabOf(context, names[0]!);
  for (const name of names) {
    await one.goto(`${service.page}/#/edit/${name}`);
    await one.getByRole("button", { name: `Template: ${name}` }).waitFor();
    await settled(one);
    await append(one, `the text of ${name}`);
    await drafted(one, name, "the text");
  }
  await one.close();
  const page = await tabOf(context, "main");
  const list = await listed(page);
  await shows(list, "from a closed tab");
  for (const name of names) await list.getByRole("button", { name: `Open ${name}` }).waitFor();
  await list.getByRole("button", { name: "Discard many-3" }).click();
  await list.getByRole("button", { name: "Open discarded many-3" }).waitFor();
  await list.getByRole("button", { name: "Undo" }).click();
  await list.getByRole("button", { name: "Open many-3" }).click();
  await page.waitForURL(/many-3$/);
  await shows(text(page), "the text of many-3");
  await context.close();
});

/** The page over plain HTTP from another machine: no Web Locks, no clipboard. */
async function plainHttp(): Promise<BrowserContext> {
  const context = await newContext(browser);
  await context.addInitScript("Object.defineProperty(Navigator.prototype, 'locks', { get: () => undefined })");
  return context;
}

test("52: over plain HTTP, a second tab is not offered the text of an open one", async () => {
  const context = await plainHttp();
  const first = await tabOf(context, "plain");
  await append(first, "of the first");
  await drafted(first, "plain", "of the first");
  const second = await tabOf(context, "plain");
  assert.equal(await second.locator(".banner").count(), 0);
  assert.doesNotMatch(await text(second).innerText(), /of the first/);
  await crash(first);
  await second.reload();
  await settled(second);
  await shows(text(second), "of the first");
  await context.close();
});

const plainAndSecure = [["53: over plain HTTP", plainHttp], ["22: in a secure context", () => newContext(browser)]] as const;
for (const [where, contextOf] of plainAndSecure) test(`${where}, a copied tab gets a place of its own`, async () => {
  const context = await contextOf();
  const template = `copied-${where.slice(0, 2)}`;
  const first = await tabOf(context, template);
  const slot = await first.evaluate(() => sessionStorage.getItem("preface-slot")!);
  await append(first, "of the first");
  await drafted(first, template, "of the first");
  const second = await newPage(context);
  // A copied tab begins with what the other one has in its session.
  await second.addInitScript((id) => {
    if (!sessionStorage.getItem("preface-slot")) sessionStorage.setItem("preface-slot", id);
  }, slot);
  await second.goto(`${service.page}/#/edit/${template}`);
  await settled(second);
  await append(second, "of the second");
  await drafted(second, template, "of the second");
  await crash(first);
  await crash(second);
  const third = await tabOf(context, "main");
  await shows(await listed(third), template);
  assert.deepEqual((await draftsOf(third, template)).sort(), ["of the first", "of the second"]);
  await context.close();
});

test("drafts of an earlier version of the page are taken over", async () => {
  const context = await newContext(browser);
  await service.put("earlier", "stored\n");
  await context.addInitScript(() => {
    if (sessionStorage.getItem("seeded")) return;
    sessionStorage.setItem("seeded", "1");
    const draft = { text: "stored\nfrom before", etag: null, version: 1, base: "stored\n", at: Date.now() };
    localStorage.setItem("preface-draft:earlier-tab-1:draft:earlier", JSON.stringify(draft));
  });
  const page = await tabOf(context, "earlier");
  await shows(text(page), "from before");
  assert.equal(await page.evaluate(() => Object.keys(localStorage).filter((name) => name.startsWith("preface-draft:")).length), 0);
  await context.close();
});

test("words typed while a save is under way are named as unsaved", async () => {
  await service.put("meanwhile", "stored\n");
  const page = await openPage(browser, `${service.page}/#/edit/meanwhile`);
  await page.route("**/templates/meanwhile", async (route) => {
    if (route.request().method() === "PUT") await new Promise((done) => setTimeout(done, 1000));
    await route.continue();
  });
  await append(page, "first");
  await page.keyboard.press("Control+s");
  await shows(saveState(page), "Saving…");
  await page.keyboard.type(" second");
  await shows(saveState(page), "Saved as version 2. Later changes are unsaved.");
  await page.context().close();
});

test("9: a save whose response was lost is not taken for that of another client", async () => {
  await service.put("lost-response", "stored\n");
  const page = await openPage(browser, `${service.page}/#/edit/lost-response`);
  let lose = true;
  await page.route("**/templates/lost-response", async (route) => {
    if (route.request().method() !== "PUT" || !lose) return route.continue();
    lose = false;
    await route.fetch();
    await route.abort();
  });
  await append(page, "mine");
  await page.keyboard.press("Control+s");
  await shows(saveState(page), "Not saved.");
  await page.keyboard.type("!");
  await page.keyboard.press("Control+s");
  await shows(saveState(page), "Saved as version 3.");
  assert.equal(await service.get("lost-response"), "stored\nmine!");
  await page.context().close();
});

test("10: a save without a response ends, and can be tried again", async () => {
  await service.put("no-response", "stored\n");
  const page = await openPage(browser, `${service.page}/#/edit/no-response`);
  await page.route("**/templates/no-response", (route) => (route.request().method() === "PUT" ? undefined : route.continue()));
  await append(page, "mine");
  await page.keyboard.press("Control+s");
  await shows(saveState(page), "Saving…");
  await page.waitForTimeout(8000);
  await shows(saveState(page), "Not saved.");
  await page.unroute("**/templates/no-response");
  await page.keyboard.press("Control+s");
  await shows(saveState(page), "Saved as version 2.");
  await page.context().close();
});

test("a conflict with a store that lost the template is named so", async () => {
  await service.put("gone", "stored\n");
  const page = await openPage(browser, `${service.page}/#/edit/gone`);
  await append(page, "mine");
  await fetch(`${service.url}/templates/gone`, { method: "DELETE" });
  await page.keyboard.press("Control+s");
  await shows(await resolving(page), "The template is no longer stored; your text is based on version 1.");
  await page.context().close();
});

test("a version of another client is shown without leaving the page", async () => {
  await service.put("polled", "stored\n");
  const page = await openPage(browser, `${service.page}/#/edit/polled`);
  await service.put("polled", "theirs\n");
  await shows(text(page), "theirs");
  await page.context().close();
});
