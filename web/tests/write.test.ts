// Writing a template with the keyboard alone: completion, preview, saving, a conflict and each way out of it.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import {
  choose,
  focused,
  newContext,
  newPage,
  openPage,
  preview,
  resolving,
  saveState,
  settled,
  shows,
  startBrowser,
  text,
  type,
  watchedPage,
  type Watched,
} from "./browser";
import { startService, write, type Service } from "./service";

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

const focusedLabel = "document.activeElement?.getAttribute('aria-label')";

test("a template is written by keyboard alone, previewed and saved", async () => {
  const page = await openPage(browser, service.page);
  for (let steps = 0; steps < 4 && (await page.evaluate(focusedLabel)) !== "Template"; steps++) {
    await page.keyboard.press("F6");
  }
  assert.equal(await page.evaluate(focusedLabel), "Template", "F6 leads to the text");
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await page.keyboard.type("You work in [prompt:cw");
  await choose(page, /prompt:cwd/);
  await type(page, ".\n");
  await shows(preview(page), `You work in ${service.root}.`);

  await page.keyboard.type("[i");
  await choose(page, /^if/);
  await page.keyboard.type("file:AG");
  await choose(page, /AGENTS\.md/);
  await page.keyboard.type("[file:AG");
  await choose(page, /AGENTS\.md/);
  await settled(page);
  await shows(preview(page), "Use tabs.");

  await page.keyboard.press("Control+s");
  await shows(saveState(page), "Saved as version 1.");
  assert.equal(await service.get("main"), "You work in [prompt:cwd].\n[if file:AGENTS.md]\n[file:AGENTS.md]\n[endif]");
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});

/** Goes with Tab alone to what has this name, by its label or its words. */
async function reach(page: Watched, name: RegExp): Promise<void> {
  const named = () =>
    page.evaluate(() => {
      const at = document.activeElement as HTMLInputElement | null;
      return (at?.ariaLabel ?? at?.labels?.[0]?.textContent ?? at?.textContent ?? "").trim();
    });
  for (let steps = 0; steps < 80; steps++) {
    if (name.test(await named())) return;
    // In the text, Tab writes a tab until Escape.
    if ((await page.evaluate(focusedLabel)) === "Template") await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not reach ${name}`);
}

test("by keyboard alone one writes, tries values, compares, publishes with a note and a label, and restores", async () => {
  await service.put("keys", "You work in [prompt:cwd].\n");
  const page = await openPage(browser, `${service.page}/#/edit/keys`);
  await page.evaluate(() => {
    const seen = Object.assign(window, { pointers: 0 });
    for (const kind of ["pointerdown", "mousedown", "touchstart"]) addEventListener(kind, () => seen.pointers++, true);
  });
  for (let steps = 0; steps < 4 && (await page.evaluate(focusedLabel)) !== "Template"; steps++) await page.keyboard.press("F6");
  await page.keyboard.press("Control+End");
  await page.keyboard.insertText("[if tool:bash]Use bash.[endif]");
  await settled(page);
  assert.doesNotMatch(await preview(page).innerText(), /Use bash/);

  await page.keyboard.press("Escape");
  await reach(page, /^Values/);
  await page.keyboard.press("Enter");
  await reach(page, /^Tools/);
  await page.keyboard.type("read, bash");
  await shows(preview(page), "Use bash.");

  await reach(page, /^Review…$/);
  await page.keyboard.press("Enter");
  await focusedField(page, "Note");
  await page.keyboard.type("bash is named");
  await page.keyboard.press("Enter");
  await shows(saveState(page), "Saved as version 2.");

  await reach(page, /^Add a label to version 2$/);
  await page.keyboard.press("Enter");
  await page.keyboard.type("production");
  await page.keyboard.press("Enter");
  await shows(page.getByRole("status", { name: "Messages" }), "Label production is on version 2.");

  await reach(page, /^Versions$/);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Version 2" }).waitFor();
  await shows(page.locator(".cm-mergeView"), "Use bash.");
  await reach(page, /^Versions$/);
  for (let steps = 0; steps < 40 && (await page.evaluate("document.activeElement?.getAttribute('role')")) !== "listbox"; steps++) await page.keyboard.press("Tab");
  await page.keyboard.press("End");
  await page.getByRole("heading", { name: "Version 1" }).waitFor();
  await reach(page, /^Restore as new version…$/);
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Restore version 1?" }).waitFor();
  await reach(page, /^Restore version 1$/);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Version 3" }).waitFor();
  assert.equal(await service.get("keys"), "You work in [prompt:cwd].\n");
  const versions = (await (await fetch(`${service.url}/templates/keys/versions`)).json()) as { items: { version: number; note: string; labels: string[] }[] };
  assert.deepEqual([versions.items[1]!.note, versions.items[1]!.labels], ["bash is named", ["production"]]);
  assert.equal(await page.evaluate("pointers"), 0);
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});

/** Waits until the focus is on the field with this label. */
async function focusedField(page: Watched, label: string): Promise<void> {
  await page.waitForFunction((wanted) => (document.activeElement as HTMLInputElement | null)?.labels?.[0]?.textContent?.includes(wanted), label);
}

test("names that arrive while a bracket is written are offered there", async () => {
  const page = await watchedPage(browser);
  let letPass = () => {};
  const passed = new Promise<void>((done) => (letPass = done));
  await page.route("**/system-prompt/variables?*", async (route) => {
    await passed;
    await route.continue();
  });
  await page.goto(service.page);
  await settled(page);
  await text(page).focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("You work in [prompt:cw");
  assert.equal(await page.getByRole("option", { name: /prompt:cwd/ }).count(), 0);
  letPass();
  await choose(page, /prompt:cwd/);
  await shows(text(page), "You work in [prompt:cwd]");
  await page.context().close();
});

async function inConflict(name: string) {
  await service.put(name, "one\ntwo\nthree\n");
  const page = await openPage(browser, `${service.page}/#/edit/${name}`);
  await text(page).focus();
  await page.keyboard.press("Control+End");
  await type(page, "mine");
  await service.put(name, "one, theirs\ntwo\nthree\n");
  await page.keyboard.press("Control+s");
  const dialog = await resolving(page);
  await dialog.getByRole("textbox", { name: "Merged" }).waitFor();
  return { page, dialog };
}

/** Goes there with Tab alone. */
async function tabTo(page: Awaited<ReturnType<typeof openPage>>, label: string): Promise<void> {
  for (let steps = 0; steps < 40; steps++) {
    const at = await page.evaluate(() => document.activeElement?.textContent ?? "");
    if (at.includes(label)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not reach ${label}`);
}

test("a conflict: changes that do not overlap are saved together", async () => {
  const { page, dialog } = await inConflict("both");
  assert.equal(await service.get("both"), "one, theirs\ntwo\nthree\n", "nothing was written over");
  await shows(dialog, "The changes do not overlap and are merged.");
  await tabTo(page, "Save both");
  await page.keyboard.press("Enter");
  await shows(saveState(page), "Saved as version 3.");
  assert.equal(await service.get("both"), "one, theirs\ntwo\nthree\nmine");
  await page.context().close();
});

test("a conflict: where both changed the same line, both variants are saved, theirs first", async () => {
  await service.put("overlap", "one\ntwo\n");
  const page = await openPage(browser, `${service.page}/#/edit/overlap`);
  await text(page).focus();
  await page.keyboard.press("Control+Home");
  await type(page, "mine ");
  await service.put("overlap", "theirs one\ntwo\n");
  await page.keyboard.press("Control+s");
  const dialog = await resolving(page);
  await shows(dialog, "Both have changed the same place");
  await dialog.getByRole("button", { name: "Save both" }).press("Enter");
  await shows(saveState(page), "Saved as version 3.");
  assert.equal(await service.get("overlap"), "theirs one\nmine one\ntwo\n");
  await page.context().close();
});

test("a conflict: only mine is saved over theirs", async () => {
  const { page, dialog } = await inConflict("over");
  await dialog.getByRole("button", { name: "Save only yours" }).press("Enter");
  await shows(saveState(page), "Saved as version 3.");
  assert.equal(await service.get("over"), "one\ntwo\nthree\nmine");
  await page.context().close();
});

test("12: a conflict: theirs is taken, and undo brings mine back", async () => {
  const { page, dialog } = await inConflict("theirs");
  await dialog.getByRole("button", { name: "Take theirs", exact: true }).press("Enter");
  await shows(text(page), "one, theirs");
  await settled(page);
  await shows(preview(page), "one, theirs");
  await text(page).focus();
  await page.keyboard.press("Control+z");
  await shows(text(page), "mine");
  await page.context().close();
});

test("13: a conflict: what was given up for theirs is a draft until something is saved, and old words go", async () => {
  const { page, dialog } = await inConflict("given-up");
  await shows(dialog, "is stored as a draft");
  await dialog.getByRole("button", { name: "Take theirs", exact: true }).press("Enter");
  await shows(saveState(page), "Replaced by version 2.");
  await page.reload();
  await settled(page);
  await shows(text(page), "mine");
  await shows(page.locator(".banner"), "draft restored");
  await text(page).focus();
  await page.keyboard.press("Control+End");
  await type(page, "!");
  await shows(saveState(page), "Unsaved changes");
  await page.keyboard.press("Control+s");
  await shows(saveState(page), "Saved as version 3.");
  await page.reload();
  await settled(page);
  assert.equal(await page.locator(".banner").count(), 0);
  await page.context().close();
});

test("coming back to the page shows files and versions that changed meanwhile", async () => {
  const note = path.join(service.root, "note.md");
  await writeFile(note, "old words");
  await service.put("away", "[file:note.md]\n");
  const page = await openPage(browser, `${service.page}/#/edit/away`);
  const comeBack = () => page.evaluate(() => void dispatchEvent(new Event("focus")));
  await shows(preview(page), "old words");
  await writeFile(note, "new words");
  await comeBack();
  await shows(preview(page), "new words");
  await writeFile(note, "newest words");
  await page.getByRole("button", { name: "Reload" }).press("Enter");
  await shows(preview(page), "newest words");

  await service.put("away", "theirs\n");
  await comeBack();
  await shows(text(page), "theirs");
  await shows(saveState(page), "Updated to version 2");
  await text(page).focus();
  await page.keyboard.press("Control+End");
  await type(page, "mine");
  await shows(saveState(page), "Unsaved changes");
  await service.put("away", "theirs again\n");
  await comeBack();
  await shows(page.locator(".banner"), "A newer version (3) was saved");
  const dialog = await resolving(page);
  await dialog.getByRole("button", { name: "Save only yours" }).press("Enter");
  await shows(saveState(page), "Saved as version 4.");
  assert.equal(await service.get("away"), "theirs\nmine");
  await page.context().close();
});

test("saving reports the number of errors in the saved text", async () => {
  const page = await openPage(browser, `${service.page}/#/edit/errors`);
  await page.route("**/system-prompt/analyze", async (route) => {
    const response = await route.fetch();
    const analysis = (await response.json()) as { diagnostics: { severity: string }[] };
    for (const note of analysis.diagnostics.slice(0, 2)) note.severity = "error";
    await route.fulfill({ response, json: analysis });
  });
  await text(page).focus();
  await page.keyboard.insertText("[if file:a] [if file:b] [if file:c]");
  await settled(page);
  await page.keyboard.press("Control+s");
  await shows(saveState(page), "Saved as version 1, with 2 errors.");
  await page.context().close();
});

test("a conflict: both are merged by hand", async () => {
  const { page, dialog } = await inConflict("merged");
  await dialog.getByRole("textbox", { name: "Merged" }).focus();
  await page.keyboard.press("Control+Home");
  await shows(dialog, "1 difference");
  await page.keyboard.type("zero ");
  await shows(dialog, "2 differences");
  await dialog.getByRole("button", { name: "Save merged text" }).press("Enter");
  await shows(saveState(page), "Saved as version 3.");
  assert.equal(await service.get("merged"), "zero one, theirs\ntwo\nthree\nmine");
  await page.context().close();
});

test("a conflict that was put off is back at the next save", async () => {
  const { page, dialog } = await inConflict("later");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await shows(text(page), "mine");
  await page.keyboard.press("Control+s");
  await shows(saveState(page), "Not saved: save conflict.");
  await resolving(page);
  assert.equal(await service.get("later"), "one, theirs\ntwo\nthree\n");
  await page.context().close();
});

test("line ends are preserved", async () => {
  await service.put("ends", "a\r\nb\rc\n");
  const page = await openPage(browser, `${service.page}/#/edit/ends`);
  await text(page).focus();
  await page.keyboard.press("Control+End");
  await type(page, "d");
  await page.keyboard.press("Control+s");
  await shows(saveState(page), "Saved as version 2.");
  assert.equal(await service.get("ends"), "a\r\nb\rc\nd");
  await page.context().close();
});

test("a new template begins in the list of templates", async () => {
  const page = await openPage(browser, service.page);
  await page.getByRole("button", { name: /^Template:/ }).press("Enter");
  // At once: the list of those that are there may come later than the Enter.
  await page.keyboard.insertText("review");
  await page.keyboard.press("Enter");
  await page.waitForURL(/#\/edit\/review$/);
  await settled(page);
  await text(page).focus();
  await type(page, "Review it.");
  await page.keyboard.press("Control+s");
  await shows(saveState(page), "Saved as version 1.");
  assert.equal(await service.get("review"), "Review it.");
  await page.context().close();
});

test("the second of two clients that create the same template has a conflict", async () => {
  const page = await openPage(browser, `${service.page}/#/edit/shared`);
  await text(page).focus();
  await type(page, "mine");
  await service.put("shared", "theirs");
  await page.keyboard.press("Control+s");
  await page.getByRole("button", { name: "Resolve…" }).waitFor();
  assert.equal(await service.get("shared"), "theirs", "nobody is overwritten unseen");
  await page.context().close();
});

test("Tab writes a tab, and after Escape it leaves the text", async () => {
  await service.put("tab", "x");
  const page = await openPage(browser, `${service.page}/#/edit/tab`);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  // The first thing that Tab finds leads to the text.
  await focused(page, "Template");
  await page.keyboard.press("End");
  await page.keyboard.press("Tab");
  await page.keyboard.type("y");
  await shows(text(page), /^x\s+y$/);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  assert.notEqual(await page.evaluate(focusedLabel), "Template");
  await page.context().close();
});

test("search and replace are loaded when they are used", async () => {
  await service.put("search", "one two one\n");
  const page = await openPage(browser, `${service.page}/#/edit/search`);
  await text(page).focus();
  await page.keyboard.press("Control+f");
  await page.locator(".cm-search input[name=search]").waitFor();
  await page.keyboard.type("one");
  await page.locator(".cm-search input[name=replace]").fill("1");
  await page.getByRole("button", { name: "replace all" }).click();
  await shows(text(page), "1 two 1");
  await page.context().close();
});

test("what is written decides in a completion: words and names that begin so come before what resembles it", async () => {
  await service.put("words", "x\n");
  const page = await openPage(browser, `${service.page}/#/edit/words`);
  await text(page).focus();
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("[if file:AGENTS.md]");
  await settled(page);
  await page.keyboard.type(" yes [end");
  await choose(page, /^endif/);
  await shows(text(page), "[if file:AGENTS.md] yes [endif]x");
  await page.keyboard.type("[rules");
  await settled(page);
  // There may well be no option at all.
  assert.doesNotMatch((await page.getByRole("option").allTextContents())[0] ?? "", /AGENTS/);
  await page.keyboard.press("Escape");
  await page.context().close();
});

test("where a condition is open, a bracket offers to go on with it or to end it first", async () => {
  await service.put("open", "[if file:AGENTS.md] yes ");
  const page = await openPage(browser, `${service.page}/#/edit/open`);
  await text(page).focus();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("[");
  await page.getByRole("option").first().waitFor();
  assert.deepEqual((await page.getByRole("option").allTextContents()).slice(0, 2).map((one) => one.slice(0, 4)), ["else", "endi"]);
  await page.context().close();
});

test("a condition comes with its end, offers its keys, and its bracket is written once", async () => {
  const page = await openPage(browser, `${service.page}/#/edit/with-end`);
  await focused(page, "Template");
  await page.keyboard.type("a [i");
  await choose(page, /^if/);
  await shows(text(page), "a [if ][endif]");
  await page.getByRole("option", { name: /file:AGENTS\.md/ }).waitFor();
  await page.keyboard.type("tool:bash]yes");
  await shows(text(page), "a [if tool:bash]yes[endif]");
  await page.context().close();
});

test("F6 moves each time, however quickly it comes; in the text a line shows how to leave it", async () => {
  await service.put("quick", "x");
  const page = await openPage(browser, `${service.page}/#/edit/quick`);
  await page.evaluate(() => {
    for (let times = 0; times < 3; times++) dispatchEvent(new KeyboardEvent("keydown", { key: "F6", cancelable: true }));
  });
  await focused(page, "Preview");
  assert.equal(await page.locator(".hint").getByText("Esc").count(), 0);
  await text(page).focus();
  await shows(page.locator(".hint"), /Esc then Tab leaves the text/);
  await page.context().close();
});

test("an address with an invalid template name is reported, however long it is", async () => {
  for (const name of ["<img src=x onerror=window.pwned=1>", "x".repeat(100_000)]) {
    for (const screen of ["edit", "versions"]) {
      const page = await newPage(await newContext(browser));
      await page.goto(`${service.page}/#/${screen}/${encodeURIComponent(name)}`);
      await page.getByRole("heading", { name: "Invalid template name" }).waitFor();
      assert.equal(await page.getByRole("button", { name: "Try again" }).count(), 0);
      assert.ok((await page.evaluate(() => document.body.innerText.length)) < 1000);
      await page.getByRole("link", { name: "Open main" }).click();
      await page.waitForURL(new RegExp(`#/${screen}/main$`));
      await page.context().close();
    }
  }
});

test("42: a text that is too long is reported until it is short enough", async () => {
  const page = await openPage(browser, `${service.page}/#/edit/long`);
  await text(page).focus();
  await page.keyboard.insertText("x".repeat(1_100_000));
  await page.keyboard.press("Control+s");
  await shows(saveState(page), "The template is too large to save. Its size is 1.1 MB; the limit is 1.0 MB (1,048,576 bytes).");
  await shows(page.locator(".preview .trouble"), "No preview");
  assert.ok(!(await page.locator(".preview .cm-placeholder").isVisible()), "it is not shown as empty");
  await page.keyboard.press("Control+a");
  await page.keyboard.type("short");
  await settled(page);
  await shows(saveState(page), "Unsaved changes");
  await shows(preview(page), "short");
  await page.context().close();
});

test("a path that was written once is offered the next time, in this template and in another", async () => {
  await service.put("paths", "[if file:missing/notes.md] yes [endif] [file:docs/rules.md]\n");
  const page = await openPage(browser, `${service.page}/#/edit/paths`);
  await text(page).focus();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("[file:notes");
  await choose(page, /file:missing\/notes\.md/);
  await shows(text(page), "[file:missing/notes.md]");
  await page.goto(`${service.page}/#/edit/paths-too`);
  await page.getByRole("button", { name: "Template: paths-too" }).waitFor();
  await settled(page);
  await focused(page, "Template");
  await page.keyboard.type("[ru");
  await choose(page, /file:docs\/rules\.md/);
  await shows(text(page), "[file:docs/rules.md]");
  await page.context().close();
});

test("a new line ends as its neighbor does, and the caret is never within a line end", async () => {
  await service.put("pairs", "one\r\ntwo\r\nthree\r\n");
  const page = await openPage(browser, `${service.page}/#/edit/pairs`);
  await text(page).focus();
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("End");
  await type(page, "!\nNEW");
  await page.keyboard.press("Control+End");
  await type(page, "four\nfive");
  await page.keyboard.press("Control+s");
  await shows(saveState(page), "Saved as version 2.");
  assert.equal(await service.get("pairs"), "one!\r\nNEW\r\ntwo\r\nthree\r\nfour\r\nfive");
  await page.keyboard.press("Home");
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Control+Home");
  for (let steps = 0; steps < "one!".length + 1; steps++) await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Backspace");
  await settled(page);
  await page.keyboard.press("Control+s");
  await shows(saveState(page), "Saved as version 3.");
  assert.equal(await service.get("pairs"), "one!NEW\r\ntwo\r\nthree\r\nfourfive");
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});

test("words that do nothing here are not offered", async () => {
  await service.put("words", "");
  const page = await openPage(browser, `${service.page}/#/edit/words`);
  await text(page).focus();
  await type(page, "[");
  await page.getByRole("option", { name: /^endif/ }).waitFor();
  assert.equal(await page.getByRole("option", { name: /^(end)?raw/ }).count(), 0);
  await page.context().close();
});

test("a conversation has an id in the preview", async () => {
  await service.put("ids", "[if prompt:conversation_id]id [prompt:conversation_id][else]none[endif]");
  const page = await openPage(browser, `${service.page}/#/edit/ids`);
  await shows(preview(page), "id placeholder-for-conversation-id");
  await page.context().close();
});

test("a text that was not checked is not shown as free of problems", async () => {
  await service.put("unseen", "[gti:branch]");
  const context = await newContext(browser);
  await context.route("**/system-prompt/analyze", (route) =>
    route.fulfill({
      status: 403,
      contentType: "application/problem+json",
      body: JSON.stringify({ status: 403, code: "role", detail: "the role `read` does not permit this" }),
    }),
  );
  const page = await newPage(context);
  await page.goto(`${service.page}/#/edit/unseen`);
  await shows(page.locator(".findings"), "Not checked");
  await context.close();
});

test("the plain page does not save over line ends that it cannot keep", async () => {
  const put = (template: string) =>
    fetch(`${service.url}/system-prompt`, { method: "PUT", body: JSON.stringify({ template }), headers: { "Content-Type": "application/json" } });
  await put("a\r\nb\nc\r\n");
  const page = await newPage(await newContext(browser));
  const troubles: string[] = [];
  page.on("pageerror", (error) => troubles.push(error.message));
  await page.goto(`${service.url}/plain`);
  await shows(page.locator("#status"), "read-only");
  await page.locator("#template").focus();
  await page.keyboard.type("X");
  await page.keyboard.press("Control+s");
  assert.equal(await service.get("main"), "a\r\nb\nc\r\n");
  await put("a\r\nb\r\n");
  await page.reload();
  await page.locator("#template:enabled").focus();
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("X");
  await page.keyboard.press("Control+s");
  await shows(page.locator("#status"), "Saved");
  assert.equal(await service.get("main"), "Xa\r\nb\r\n");
  await page.getByRole("button", { name: "git:branch", exact: true }).click();
  await put("theirs");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await shows(page.locator("#status"), "a newer version was saved");
  assert.equal(await service.get("main"), "theirs");
  await page.getByRole("button", { name: "Save yours" }).click();
  await shows(page.locator("#status"), "Saved");
  assert.equal(await service.get("main"), "X[git:branch]a\r\nb\r\n");
  assert.deepEqual(troubles, []);
  await page.context().close();
});

test("the plain page requests an access token and keeps it over a reload", async () => {
  const context = await newContext(browser);
  await context.route("**/system-prompt**", (route) => {
    const { authorization, ...headers } = route.request().headers();
    if (authorization === "Bearer GOOD") return route.continue({ headers });
    return route.fulfill({ status: 401, contentType: "application/problem+json", body: '{"detail":"this needs an access token"}' });
  });
  await service.put("main", "one");
  const page = await newPage(context);
  await page.goto(`${service.url}/plain`);
  for (const token of ["BAD", "GOOD"]) {
    await shows(page.locator("#status"), "needs an access token");
    await page.getByLabel("Access token").fill(token);
    await page.keyboard.press("Enter");
  }
  await page.locator("#template:enabled").waitFor();
  await page.reload();
  await page.locator("#template:enabled").waitFor();
  assert.equal(await page.getByLabel("Access token").isVisible(), false);
  await context.close();
});

test("paths are completed, directory by directory, and a wrong one has a suggestion", async () => {
  await write(service.root, "docs/api/errors.md", "Be exact.\n");
  await write(service.root, "target/out.txt", "");
  await write(service.root, "docs/picture.png", "\0");
  const page = await openPage(browser, `${service.page}/#/edit/paths-deep`);
  await text(page).focus();
  await page.keyboard.type("[file:");
  const options = page.locator(".cm-tooltip-autocomplete .cm-completionLabel");
  await page.getByRole("option", { name: "docs/" }).waitFor();
  const names = await options.allTextContents();
  assert.ok(names.indexOf("AGENTS.md") < names.indexOf("docs/") && names.indexOf("docs/") < names.indexOf("target/"), names.join(" "));
  await page.keyboard.type("dcs");
  await choose(page, /docs\//);
  await page.getByRole("option", { name: "rules.md" }).waitFor();
  assert.equal(await page.getByRole("option", { name: "picture.png" }).count(), 0, "what cannot be read is not offered");
  await page.keyboard.type("ap");
  await choose(page, /api\//);
  await page.keyboard.type("er");
  await choose(page, /errors\.md/);
  await shows(text(page), "[file:docs/api/errors.md]");
  await shows(preview(page), "Be exact.");

  await type(page, "\n[file:AGENT.md]");
  const finding = page.locator(".findings li", { hasText: "file:AGENT.md" });
  await shows(finding, "Did you mean file:AGENTS.md?");
  await finding.getByRole("button", { name: /^Fix/ }).click();
  await shows(text(page), "[file:AGENTS.md]");
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});

test("in a condition the opposite is never selected from the start", async () => {
  const page = await openPage(browser, service.page);
  await text(page).focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await page.keyboard.type("[if ");
  const options = page.locator(".cm-tooltip-autocomplete [role=option]");
  await options.first().waitFor();
  await page.waitForFunction(() => document.querySelectorAll(".cm-tooltip-autocomplete [role=option]").length > 2);
  assert.doesNotMatch(await page.locator(".cm-tooltip-autocomplete [aria-selected]").innerText(), /is missing/);
  assert.match(await options.last().innerText(), /is missing/);
  await page.context().close();
});

test("in a condition, files that exist come before those that do not", async () => {
  await service.put("there", "[file:AAA.md] [file:docs/rules.md]\n");
  const page = await openPage(browser, `${service.page}/#/edit/there`);
  await text(page).focus();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("[if f");
  const options = page.locator(".cm-tooltip-autocomplete [role=option]");
  await options.filter({ hasText: "docs/rules.md" }).waitFor();
  const offered = (await options.allInnerTexts()).map((one) => one.replace(/\s+/g, " ").trim());
  const rank = (words: string) => offered.findIndex((one) => one === words);
  assert.ok(rank("file:docs/rules.md exists") >= 0, offered.join("; "));
  assert.ok(rank("file:AAA.md not found, used here") > rank("file:docs/rules.md exists"), offered.join("; "));
  await page.context().close();
});

test("the caret stays in sight when the diagnostics take room", async () => {
  const page = await openPage(browser, service.page, { viewport: { width: 1440, height: 600 } });
  await text(page).focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText("line\n".repeat(60));
  await settled(page);
  await page.keyboard.press("Control+End");
  await page.keyboard.insertText("[a:b][c:d][e:f][g:h][i:j][k:l]");
  await page.locator(".findings-filter").waitFor();
  await page.waitForFunction(() => {
    const caret = document.querySelector(".text-field .cm-cursor-primary")?.getBoundingClientRect();
    const field = document.querySelector(".text-field .cm-scroller")!.getBoundingClientRect();
    return caret !== undefined && caret.bottom <= field.bottom && caret.top >= field.top;
  });
  await page.context().close();
});
