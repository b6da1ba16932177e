// Attempts to lose text.
import assert from "node:assert/strict";
import { cp, readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import type { Browser, BrowserContext, CDPSession, Page, Route } from "playwright-core";
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

/** A page of a browser of its own, on a template with this text. */
async function pageOn(template: string, stored = "stored\n"): Promise<Page> {
  await service.put(template, stored);
  return openPage(browser, `${service.page}/#/edit/${template}`);
}

async function pasted(page: Page, words: string): Promise<void> {
  await page.evaluate((pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", pasted);
    document.activeElement!.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, words);
}

/** The text as the editor has it, however little of it is drawn. */
const wholeText = async (page: Page, template: string): Promise<string> => {
  await page.evaluate(() => dispatchEvent(new Event("pageshow")));
  return (await draftsOf(page, template))[0] ?? "";
};

async function storeFiles(): Promise<string[]> {
  const home = path.dirname(service.root);
  return (await readdir(home)).filter((file) => file.startsWith("store.db")).map((file) => path.join(home, file));
}

/** Delays the responses to writes of a template. */
async function held(page: Page, template: string): Promise<{ arrived: Promise<Route>; go: () => void }> {
  let go = () => {};
  const released = new Promise<void>((done) => (go = done));
  let arrive: (route: Route) => void;
  const arrived = new Promise<Route>((done) => (arrive = done));
  await page.route(`**/templates/${template}`, async (route) => {
    if (route.request().method() === "PUT") {
      arrive(route);
      await released;
    }
    await route.continue().catch(() => {});
  });
  return { arrived, go };
}

test("1: a reload at once after the last key", async () => {
  const page = await pageOn("a1");
  await append(page, "typed");
  await page.reload();
  await settled(page);
  await shows(text(page), "typed");
  await page.context().close();
});

test("2, 4: two templates in one tab, which is closed at once after the last key", async () => {
  const context = await newContext(browser);
  const page = await tabOf(context, "a2");
  await append(page, "the first");
  await page.goto(`${service.page}/#/edit/a4`);
  await page.getByRole("button", { name: "Template: a4" }).waitFor();
  await settled(page);
  await append(page, "the second");
  await page.close({ runBeforeUnload: true });
  await page.waitForEvent("close").catch(() => {});
  const again = await tabOf(context, "a4");
  await shows(text(again), "the second");
  await again.goto(`${service.page}/#/edit/a2`);
  await shows(text(again), "the first");
  await context.close();
});

test("5: the tab crashes a second after the last key", async () => {
  const context = await newContext(browser);
  const page = await tabOf(context, "a5");
  await append(page, "typed");
  await page.waitForTimeout(1000);
  await crash(page);
  await shows(text(await tabOf(context, "a5")), "typed");
  await context.close();
});

test("8: a reload while the service is down", async () => {
  const page = await pageOn("a8");
  await append(page, "typed");
  await page.route("**/*", (route) => route.abort());
  await page.reload().catch(() => {});
  await page.unroute("**/*");
  await page.goto(`${service.page}/#/edit/a8`);
  await settled(page);
  await shows(text(page), "typed");
  await page.context().close();
});

test("11: a reload while a save waits, with words typed since", async () => {
  const page = await pageOn("a11");
  const { arrived, go } = await held(page, "a11");
  await append(page, "first");
  await page.keyboard.press("Control+s");
  await arrived;
  await page.keyboard.type(" second");
  const reloaded = page.reload();
  go();
  await reloaded;
  await settled(page);
  await shows(text(page), "first second");
  await page.context().close();
});

test("20: two tabs with unsaved texts of one template, both closed", async () => {
  const context = await newContext(browser);
  const tabs = [await tabOf(context, "a20"), await tabOf(context, "a20")];
  for (const [at, tab] of tabs.entries()) {
    await append(tab, `of tab ${at}`);
    await drafted(tab, "a20", `of tab ${at}`);
  }
  for (const tab of tabs) await tab.close();
  const again = await tabOf(context, "a20");
  await shows(text(again), "of tab 1");
  const list = await listed(again);
  await list.getByRole("listitem").filter({ hasText: "from a closed tab" }).getByRole("button", { name: "Open a20" }).click();
  await shows(text(again), "of tab 0");
  await shows(await listed(again), "Discarded");
  await context.close();
});

test("21: of two tabs one saves, and the other merges", async () => {
  const context = await newContext(browser);
  await service.put("a21", "one\ntwo\nthree\n");
  const [first, second] = [await tabOf(context, "a21"), await tabOf(context, "a21")];
  await append(first, "of the first");
  await text(second).focus();
  await second.keyboard.press("Control+Home");
  await second.keyboard.insertText("of the second, ");
  await first.keyboard.press("Control+s");
  await shows(saveState(first), "Saved as version 2.");
  await second.evaluate(() => void dispatchEvent(new Event("focus")));
  await shows(second.locator(".banner"), "A newer version (2)");
  await resolving(second);
  await second.getByRole("button", { name: "Save both" }).click();
  await shows(saveState(second), "Saved as version 3.");
  assert.equal(await service.get("a21"), "of the second, one\ntwo\nthree\nof the first");
  await context.close();
});

test("25: an earlier version is restored while text is unsaved", async () => {
  await service.put("a25", "first\n");
  const page = await pageOn("a25", "second\n");
  await append(page, "unsaved");
  await page.getByRole("link", { name: "Versions" }).click();
  await page.locator(".virtual-row", { hasText: /^Version 1/ }).click();
  await page.getByRole("button", { name: "Restore as new version…" }).click();
  await shows(page.getByRole("dialog"), "Unsaved text in the editor is not changed.");
  await page.getByRole("button", { name: "Restore version 1" }).click();
  await until(async () => (await service.get("a25")) === "first\n", "version 1 is not restored");
  await page.getByRole("link", { name: /Edit/ }).click();
  await shows(text(page), /second\s*unsaved/);
  await page.context().close();
});

for (const [number, millions] of [["28a", 1], ["28b", 2], ["28c", 4.5], ["28d", 6]] as const) {
  test(`${number}: ${millions} MB are pasted, and the page is reloaded`, async () => {
    const page = await pageOn(`a${number}`);
    await text(page).focus();
    await page.keyboard.press("Control+End");
    await pasted(page, `${"line of text\n".repeat((millions * 1_000_000) / 13)}end`);
    await page.waitForTimeout(100);
    await page.reload();
    await shows(page.locator(".banner"), "draft restored");
    assert.equal((await wholeText(page, `a${number}`)).length, 7 + 13 * Math.floor((millions * 1_000_000) / 13) + 3);
    await page.context().close();
  });
}

test("32: unusual characters and line ends are stored byte for byte", async () => {
  const hostile = "\ufeffa\r\nb\rc\n\0\u2028\u2029\u0085\t𝒜👩‍👩‍👧e\u0301\u202e\n\r\n\n";
  const page = await pageOn("a32", hostile);
  await append(page, "x");
  await page.keyboard.press("Control+s");
  await shows(saveState(page), "Saved as version 2");
  assert.equal(await service.get("a32"), `${hostile}x`);
  await page.context().close();
});

async function composing(page: Page): Promise<{ compose: (words: string) => Promise<unknown>; commit: (words: string) => Promise<unknown> }> {
  const session: CDPSession = await page.context().newCDPSession(page);
  return {
    compose: (words) => session.send("Input.imeSetComposition", { text: words, selectionStart: words.length, selectionEnd: words.length }),
    commit: (words) => session.send("Input.insertText", { text: words }),
  };
}

test("34: an input method is not finished while the text is saved", async () => {
  const page = await pageOn("a34");
  await append(page, "x");
  const ime = await composing(page);
  await ime.compose("に");
  await ime.compose("にほ");
  await page.evaluate(() => dispatchEvent(new Event("pageshow")));
  await ime.commit("日本");
  await page.keyboard.press("Control+s");
  await shows(saveState(page), "Saved as version 2.");
  assert.equal(await service.get("a34"), "stored\nx日本");
  await page.context().close();
});

test("35: an input method within a bracket, while completion is open", async () => {
  const page = await pageOn("a35");
  await text(page).focus();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("[fi");
  await page.getByRole("option").first().waitFor();
  const ime = await composing(page);
  await ime.compose("に");
  await ime.commit("日本");
  await shows(text(page), "[fi日本");
  await page.context().close();
});

test("36: an input method, while analyses are slow", async () => {
  const page = await pageOn("a36");
  await page.route("**/system-prompt/analyze", async (route) => {
    await new Promise((done) => setTimeout(done, 300));
    await route.continue().catch(() => {});
  });
  await append(page, "x");
  const ime = await composing(page);
  for (const words of ["に", "にほ", "にほん", "にほんご"]) {
    await ime.compose(words);
    await page.waitForTimeout(250);
  }
  await ime.commit("日本語");
  await page.keyboard.press("Control+s");
  await shows(saveState(page), "Saved as version 2.");
  assert.equal(await service.get("a36"), "stored\nx日本語");
  await page.context().close();
});

test("38: the same service by its number and by its name: each has its own unsaved text", async () => {
  const context = await newContext(browser);
  const pages = [service.page, service.page.replace("127.0.0.1", "localhost")];
  for (const page of pages) {
    const tab = await openTab(context, `${page}/#/edit/a38`);
    await append(tab, `of ${page}`);
    await drafted(tab, "a38", page);
    await tab.close();
  }
  for (const page of pages) await shows(text(await openTab(context, `${page}/#/edit/a38`)), `of ${page}`);
  await context.close();
});

test("39: Back out of the page, and Forward", async () => {
  const page = await newPage(await newContext(browser));
  let dialogs = 0;
  page.on("dialog", (dialog) => (dialogs++, void dialog.accept()));
  await page.goto("about:blank");
  await page.goto(`${service.page}/#/edit/a39`);
  await settled(page);
  await append(page, "typed");
  await page.goBack();
  assert.equal(dialogs, 1, "the browser requests confirmation");
  await page.goForward();
  await settled(page);
  await shows(text(page), "typed");
  await page.context().close();
});

test("3, 40: Back and Forward among templates and screens", async () => {
  const page = await pageOn("a40");
  await append(page, "typed");
  await page.getByRole("link", { name: "Versions" }).click();
  await page.getByRole("heading", { name: /^Version/ }).first().waitFor();
  await page.goto(`${service.page}/#/edit/a40-other`);
  await page.getByRole("button", { name: "Template: a40-other" }).waitFor();
  await append(page, "other");
  await page.goBack();
  await page.goBack();
  await page.getByRole("button", { name: "Template: a40", exact: true }).waitFor();
  await shows(text(page), "typed");
  await page.goForward();
  await page.goForward();
  await page.getByRole("button", { name: "Template: a40-other" }).waitFor();
  await shows(text(page), "other");
  await page.context().close();
});

test("41: Ctrl-S ten times while typing", async () => {
  const page = await pageOn("a41", "");
  await text(page).focus();
  for (let round = 0; round < 10; round++) {
    await page.keyboard.type(`word${round} `);
    await page.keyboard.press("Control+s");
  }
  await page.keyboard.type("end");
  await until(async () => {
    await page.keyboard.press("Control+s");
    return (await service.get("a41")) === "word0 word1 word2 word3 word4 word5 word6 word7 word8 word9 end";
  }, "the last words are not saved");
  assert.equal(await page.getByRole("dialog").count(), 0);
  await page.context().close();
});

test("43: the file of the store is away while one writes, and comes back", async () => {
  const page = await pageOn("a43");
  const files = await storeFiles();
  for (const file of files) await rename(file, `${file}.away`);
  await append(page, "typed");
  await page.keyboard.press("Control+s");
  await shows(saveState(page), /Saved|Not saved/);
  for (const file of files) await rename(`${file}.away`, file);
  await until(async () => {
    await page.keyboard.press("Control+s");
    return (await service.get("a43")) === "stored\ntyped";
  }, "the text is not saved once the store is back");
  await page.context().close();
});

test("44: the service comes back with an empty store", async () => {
  const page = await pageOn("a44");
  await append(page, "typed");
  await service.stop();
  for (const file of await storeFiles()) await rm(file);
  await service.start();
  await page.keyboard.press("Control+s");
  // A look at the store between has the text as unsaved already; then there is no conflict.
  const both = page.getByRole("button", { name: "Save both" });
  await until(async () => {
    if ((await both.count()) > 0) await both.click();
    else await page.keyboard.press("Control+s");
    return (await service.get("a44")) === "stored\ntyped";
  }, "the text is not saved in the new store");
  await page.context().close();
});

test("45: a file is dropped on the text", async () => {
  const page = await pageOn("a45");
  await append(page, "typed ");
  const box = (await text(page).boundingBox())!;
  await page.evaluate(({ x, y }) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(["dropped"], "a.txt", { type: "text/plain" }));
    const target = document.querySelector(".text .cm-line")!;
    target.dispatchEvent(new DragEvent("drop", { dataTransfer, clientX: x, clientY: y, bubbles: true, cancelable: true }));
  }, { x: box.x + 20, y: box.y + 12 });
  await shows(text(page), "dropped");
  await shows(text(page), "typed");
  await page.context().close();
});

test("46, 48: undo brings back what one key replaced, also after a save and on another template between", async () => {
  const page = await pageOn("a46");
  await append(page, "typed");
  await page.keyboard.press("Control+a");
  await page.keyboard.type("x");
  await page.keyboard.press("Control+s");
  await shows(saveState(page), "Saved as version 2.");
  await page.goto(`${service.page}/#/edit/a46-other`);
  await page.getByRole("button", { name: "Template: a46-other" }).waitFor();
  await page.goto(`${service.page}/#/edit/a46`);
  await shows(text(page), /^x$/);
  await text(page).focus();
  await page.keyboard.press("Control+z");
  await shows(text(page), /stored\s*typed/);
  await page.context().close();
});

test("47: undo after a reload takes nothing away", async () => {
  const page = await pageOn("a47");
  await append(page, "typed");
  await page.reload();
  await settled(page);
  await text(page).focus();
  for (let times = 0; times < 3; times++) await page.keyboard.press("Control+z");
  await shows(text(page), /stored\s*typed/);
  await page.context().close();
});

test("51: the network comes and goes while one types and saves", async () => {
  const page = await pageOn("a51", "");
  const context = page.context();
  let expected = "";
  await text(page).focus();
  for (let round = 0; round < 14; round++) {
    await context.setOffline(round % 2 === 0);
    const word = `word${round} `;
    await page.keyboard.type(word);
    expected += word;
    if (round % 3 === 0) await page.keyboard.press("Control+s");
    await page.waitForTimeout(200);
  }
  await context.setOffline(false);
  await until(async () => {
    await page.keyboard.press("Control+s");
    return (await service.get("a51")) === expected;
  }, "the text is not saved once the network is back");
  await page.context().close();
});

/** Opens a conflict: the text has a line at its end, the stored version one at its beginning. */
async function inConflict(template: string): Promise<Page> {
  const page = await pageOn(template, "one\n");
  await append(page, "mine");
  await service.put(template, "theirs\none\n");
  await page.keyboard.press("Control+s");
  await (await resolving(page)).getByRole("textbox", { name: "Merged" }).waitFor();
  return page;
}

test("54: a version is stored while a conflict with an earlier one is merged", async () => {
  const page = await inConflict("b54");
  const dialog = page.getByRole("dialog", { name: "Save conflict" });
  await dialog.getByRole("textbox", { name: "Merged" }).focus();
  await page.keyboard.press("Control+End");
  await page.keyboard.type(" by hand");
  await service.put("b54", "theirs again\ntheirs\none\n");
  await dialog.getByRole("button", { name: "Save merged text" }).click();
  await resolving(page);
  await shows(dialog, "Version 3 was saved by another client; your text is based on version 2.");
  await shows(dialog, "mine by hand");
  await dialog.getByRole("button", { name: "Save both" }).click();
  await shows(saveState(page), "Saved as version 4.");
  assert.equal(await service.get("b54"), "theirs again\ntheirs\none\nmine by hand");
  await page.context().close();
});

test("55: words typed between a save and the dialog of its conflict are in the merge", async () => {
  const page = await pageOn("b55", "one\n");
  await page.route("**/assets/merge-pane-*", async (route) => {
    await new Promise((done) => setTimeout(done, 1500));
    await route.continue();
  });
  await append(page, "mine");
  await service.put("b55", "theirs\none\n");
  await page.keyboard.press("Control+s");
  await page.keyboard.type(" and");
  await Promise.all([page.waitForRequest("**/assets/merge-pane-*"), page.getByRole("button", { name: "Resolve…" }).click()]);
  await text(page).focus();
  await page.keyboard.type(" more");
  await page.waitForTimeout(2000);
  assert.equal(await page.getByRole("dialog").count(), 0, "the text keeps the keys of somebody who writes on");
  await (await resolving(page)).getByRole("button", { name: "Save both" }).click();
  await shows(saveState(page), "Saved as version 3.");
  assert.equal(await service.get("b55"), "theirs\none\nmine and more");
  await page.context().close();
});

test("56: the access token is revoked while one types, its dialog is closed, and a save gets the next token", async () => {
  const page = await pageOn("b56");
  let revoked = false;
  await page.route(/\/(templates|system-prompt|variables)/, async (route) => {
    const { authorization, ...headers } = route.request().headers();
    if (!revoked || authorization === "Bearer GOOD") return route.continue({ headers });
    await route.fulfill({ status: 401, contentType: "application/problem+json", body: '{"code":"token","detail":"this needs an access token"}' });
  });
  await append(page, "before");
  revoked = true;
  await page.keyboard.type(" during");
  const dialog = page.getByRole("dialog", { name: "Access token required" });
  await dialog.waitFor();
  await drafted(page, "b56", "before during");
  while (await dialog.isVisible()) {
    await page.keyboard.press("Escape");
    await page.waitForTimeout(300);
  }
  await append(page, " after");
  await page.keyboard.press("Control+s");
  await dialog.getByLabel("Access token").fill("GOOD");
  await page.keyboard.press("Enter");
  await shows(saveState(page), "Saved as version 2.");
  assert.equal(await service.get("b56"), "stored\nbefore during after");
  await page.context().close();
});

/** Lets the clock of a page be set: `shiftClock(milliseconds)`. */
async function withClock(context: BrowserContext): Promise<BrowserContext> {
  await context.addInitScript(() => {
    const real = Date.now.bind(Date);
    let shift = Number(sessionStorage.getItem("clock") ?? 0);
    Date.now = () => real() + shift;
    Object.assign(window, { shiftClock: (by: number) => ((shift = by), sessionStorage.setItem("clock", String(by))) });
  });
  return context;
}

test("58: the clock jumps back by an hour while one types without a pause", async () => {
  const context = await withClock(await newContext(browser));
  const page = await tabOf(context, "b58");
  await text(page).focus();
  const typing = async (letter: string, milliseconds: number) => {
    const end = Date.now() + milliseconds;
    while (Date.now() < end) {
      await page.keyboard.type(letter);
      await page.waitForTimeout(60);
    }
  };
  await typing("x", 400);
  await page.evaluate("shiftClock(-3600000)");
  await typing("y", 2500);
  assert.match((await draftsOf(page, "b58"))[0] ?? "", /y/, "the draft is written while keys come");
  await crash(page);
  await shows(text(await tabOf(context, "b58")), /x+y+/);
  await context.close();
});

test("59: the clock jumps back by an hour, and the tab is closed at once after the last key", async () => {
  const context = await withClock(await newContext(browser));
  const page = await tabOf(context, "b59");
  await append(page, "before");
  await drafted(page, "b59", "before");
  await page.evaluate("shiftClock(-3600000)");
  // The database does not respond any more: the last words are in localStorage alone.
  await page.evaluate(() => void (IDBDatabase.prototype.transaction = () => { throw new Error("closing"); }));
  await append(page, " after");
  await page.reload();
  await settled(page);
  await shows(text(page), "before after");
  await context.close();
});

test("60: the browser has no room for a draft, and then has some again", async () => {
  const page = await pageOn("b60");
  const session = await page.context().newCDPSession(page);
  await session.send("Storage.overrideQuotaForOrigin", { origin: service.page, quotaSize: 1000 });
  await text(page).focus();
  await pasted(page, "line of text\n".repeat(10_000));
  await shows(page.locator(".banner"), "Browser storage is full");
  await session.send("Storage.overrideQuotaForOrigin", { origin: service.page });
  await page.keyboard.type("end");
  await drafted(page, "b60", "end");
  await page.locator(".banner").waitFor({ state: "detached" });
  await page.context().close();
});

const send = (method: string, where: string, body?: unknown): Promise<Response> =>
  fetch(service.url + where, { method, ...(body !== undefined && { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }) });

test("61: another client deletes the template while one types", async () => {
  const page = await pageOn("b61");
  await append(page, "typed");
  await send("DELETE", "/templates/b61");
  await page.evaluate(() => void dispatchEvent(new Event("focus")));
  await shows(page.locator(".banner"), "This template was deleted by another client. Your changes are unsaved.");
  await page.keyboard.type(" more");
  await page.keyboard.press("Control+s");
  const dialog = await resolving(page);
  await dialog.getByRole("button", { name: "Save only yours" }).click();
  await shows(saveState(page), "Saved as version 3.");
  assert.equal(await service.get("b61"), "stored\ntyped more");
  await page.context().close();
});

test("62: the service comes back with an older store: the text of the lost version stays, as unsaved", async () => {
  await service.put("b62", "one\n");
  await service.stop();
  const backup = path.join(path.dirname(service.root), "backup");
  for (const file of await storeFiles()) await cp(file, path.join(backup, path.basename(file)));
  await service.start();
  await service.put("b62", "one\ntwo\n");
  const [clean, typed] = [await openPage(browser, `${service.page}/#/edit/b62`), await openPage(browser, `${service.page}/#/edit/b62`)];
  await append(typed, "three");
  await service.stop();
  for (const file of await storeFiles()) await rm(file);
  await cp(backup, path.dirname(service.root), { recursive: true });
  await service.start();
  for (const [page, expected] of [[clean, "one\ntwo\n"], [typed, "one\ntwo\nthree"]] as const) {
    await page.evaluate(() => void dispatchEvent(new Event("focus")));
    await shows(saveState(page), "The store has lost version 2. Your text is unsaved.");
    await drafted(page, "b62", expected);
    assert.ok((await draftsOf(page, "b62")).includes(expected));
  }
  await clean.keyboard.press("Control+s");
  await shows(saveState(clean), "Saved as version 2.");
  assert.equal(await service.get("b62"), "one\ntwo\n");
  await clean.context().close();
  await typed.context().close();
});

test("63: Back out of the page during a save, with words typed since", async () => {
  const page = await newPage(await newContext(browser));
  page.on("dialog", (dialog) => void dialog.accept());
  await service.put("b63", "stored\n");
  await page.goto("about:blank");
  await page.goto(`${service.page}/#/edit/b63`);
  await settled(page);
  const { arrived, go } = await held(page, "b63");
  await append(page, "first");
  await page.keyboard.press("Control+s");
  await arrived;
  await page.keyboard.type(" second");
  const back = page.goBack();
  go();
  await back;
  await page.goForward();
  await settled(page);
  await shows(text(page), "first second");
  await page.context().close();
});

test("64: words are pasted into the dialog of a conflict, and it is closed with Escape", async () => {
  const page = await inConflict("b64");
  const dialog = page.getByRole("dialog", { name: "Save conflict" });
  await dialog.getByRole("textbox", { name: "Merged" }).focus();
  await page.keyboard.press("Control+End");
  await pasted(page, "\npasted");
  await page.keyboard.press("Escape");
  await shows(text(page), /theirs\s*one\s*mine\s*pasted/);
  await page.reload();
  await settled(page);
  await shows(text(page), /theirs\s*one\s*mine\s*pasted/);
  await page.context().close();
});

test("65: an unsaved text is opened from the list while the store is away", async () => {
  const context = await newContext(browser);
  const first = await tabOf(context, "b65");
  await append(first, "typed");
  await drafted(first, "b65", "typed");
  await first.close();
  const page = await tabOf(context, "b65-other");
  const list = await listed(page);
  await page.route("**/templates/b65", (route) => route.fulfill({ json: { template: "the default" }, headers: { "Preface-Degraded": "store" } }));
  await list.getByRole("button", { name: "Open b65" }).click();
  await page.waitForURL(/b65$/);
  await shows(page.locator(".banner"), "read-only");
  await page.waitForTimeout(500);
  assert.deepEqual(await draftsOf(page, "b65"), ["typed"]);
  await page.unroute("**/templates/b65");
  await shows(text(page), "typed");
  await context.close();
});

test("66: another program deletes the database of drafts while the page is open", async () => {
  const context = await newContext(browser);
  const page = await tabOf(context, "b66");
  await append(page, "typed");
  await drafted(page, "b66", "typed");
  await page.evaluate(
    () =>
      new Promise((done, fail) => {
        const request = indexedDB.deleteDatabase("preface");
        request.onsuccess = done;
        request.onerror = fail;
      }),
  );
  await page.keyboard.type(" more");
  await page.waitForTimeout(1000);
  await crash(page);
  await shows(text(await tabOf(context, "b66")), "typed more");
  await context.close();
});

test("67: a deleted template is restored at once after the last key, on a slow disk", async () => {
  await service.put("b67", "first\n");
  await send("DELETE", "/templates/b67");
  const page = await newPage(await newContext(browser));
  await page.addInitScript(() => {
    const commit = IDBTransaction.prototype.commit;
    // Each write waits as on a disk that is busy.
    IDBTransaction.prototype.commit = function () {
      const store = this.objectStore("drafts");
      const end = performance.now() + 1500;
      const wait = () => {
        if (performance.now() < end) store.count().onsuccess = wait;
        else commit.call(this);
      };
      wait();
    };
  });
  await page.goto(`${service.page}/#/edit/b67`);
  await settled(page);
  await append(page, "typed");
  await page.waitForTimeout(500);
  await page.keyboard.type(" more");
  await page.getByRole("button", { name: "Restore version 1" }).click();
  await page.locator(".banner", { hasText: "was deleted" }).waitFor({ state: "detached" });
  await shows(text(page), "typed more");
  assert.equal(await service.get("b67"), "first\n");
  await page.context().close();
});

test("68: two new tabs find the unsaved text of a closed one at the same moment", async () => {
  const context = await newContext(browser);
  const first = await tabOf(context, "b68");
  await append(first, "typed");
  await drafted(first, "b68", "typed");
  await first.close();
  const tabs = await Promise.all([tabOf(context, "b68"), tabOf(context, "b68")]);
  const texts = await Promise.all(tabs.map((tab) => text(tab).innerText()));
  assert.ok(texts.some((one) => one.includes("typed")), texts.join(" | "));
  await Promise.all(tabs.map(crash));
  await shows(text(await tabOf(context, "b68")), "typed");
  await context.close();
});

test("69: two tabs save at the same moment", async () => {
  await service.put("b69", "one\n");
  const pages = [await openPage(browser, `${service.page}/#/edit/b69`), await openPage(browser, `${service.page}/#/edit/b69`)];
  for (const [at, page] of pages.entries()) await append(page, `of ${at}\n`);
  await Promise.all(pages.map((page) => page.keyboard.press("Control+s")));
  const late = await Promise.any(pages.map(async (page) => (await page.getByRole("button", { name: "Resolve…" }).waitFor(), page)));
  await resolving(late);
  await late.getByRole("button", { name: "Save both" }).click();
  await shows(saveState(late), "Saved as version 3.");
  assert.deepEqual((await service.get("b69")).split("\n").sort(), ["", "of 0", "of 1", "one"]);
  for (const page of pages) await page.context().close();
});

test("70: a label moves to an earlier version while one types", async () => {
  await service.put("b70", "first\n");
  const page = await pageOn("b70", "second\n");
  await append(page, "typed");
  assert.equal((await send("PUT", "/templates/b70/labels/production", { version: 1 })).status, 200);
  await page.evaluate(() => void dispatchEvent(new Event("focus")));
  await page.keyboard.type(" more");
  await page.keyboard.press("Control+s");
  await shows(saveState(page), "Saved as version 3.");
  assert.equal(await service.get("b70"), "second\ntyped more");
  await page.context().close();
});

test("71: keys go on while a save conflicts, and the keyboard reaches its dialog", async () => {
  const page = await pageOn("b71", "one\n");
  await append(page, "mine ");
  await service.put("b71", "theirs\none\n");
  let words = "";
  const typed = async (times: number) => {
    for (; times > 0; times--) {
      const word = `w${words.length} `;
      words += word;
      await page.keyboard.type(word, { delay: 15 });
    }
  };
  await typed(3);
  await page.keyboard.press("Control+s");
  await typed(20);
  await page.getByRole("button", { name: "Resolve…" }).waitFor();
  await typed(10);
  assert.equal(await page.getByRole("dialog").count(), 0);
  await shows(text(page), `mine ${words.trim()}`);
  await page.keyboard.press("Shift+F6");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Save conflict" });
  await dialog.getByRole("button", { name: "Save both" }).press("Enter");
  await shows(saveState(page), "Saved as version 3.");
  assert.equal(await service.get("b71"), `theirs\none\nmine ${words}`);
  await page.waitForFunction(() => document.activeElement?.getAttribute("aria-label") === "Template");
  await page.context().close();
});
