// Versions: the list, comparing, restoring, labels.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Locator, Page } from "playwright-core";
import { drafted, paced, shows, startBrowser } from "./browser";
import { BIDI, clean, done, inert, openScreen, PHONE, SCHEMES, SCRIPT, send } from "./screens";
import { startService, type Service } from "./service";

let service: Service;
let browser: Browser;
const LONG = "a".repeat(1900);

/** The rows of the list; those that begin like this. */
const row = (page: Page, name?: RegExp): Locator => {
  const list = page.getByRole("listbox", { name: "Versions" });
  return name ? list.getByRole("option", { name }) : list.getByRole("option");
};

async function save(template: string, note: string, name = "main"): Promise<void> {
  await send(service, "PUT", `/templates/${name}`, { template, note });
}

before(async () => {
  service = await startService();
  browser = await startBrowser();
  await save("You are brief.\n", "the first");
  await save("You are brief.\nYou work in [prompt:cwd].\n", "the directory");
  await save("You are careful.\nYou work in [prompt:cwd].\n", "");
});
after(async () => {
  await browser?.close();
  await service?.end();
});

test("a version is restored with the keyboard alone", async () => {
  const page = await openScreen(browser, service, "#/versions/main");
  const list = page.getByRole("listbox", { name: "Versions" });
  await list.focus();
  await page.keyboard.press("End");
  await page.getByRole("heading", { name: "Version 1" }).waitFor();
  await page.keyboard.press("ArrowUp");
  await page.getByRole("heading", { name: "Version 2" }).waitFor();
  await shows(page.locator(".cm-mergeView"), "You work in [prompt:cwd].");
  await page.keyboard.press("Enter");
  // Enter goes on to what is compared.
  await page.waitForFunction(() => document.activeElement?.id === "against");
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Restore version 2?" });
  await dialog.getByRole("button", { name: "Restore version 2" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Version 4" }).waitFor();
  await shows(page.getByRole("status", { name: "Messages" }), "Restored version 2 as version 4.");
  assert.equal(await service.get("main"), "You are brief.\nYou work in [prompt:cwd].\n");
  await shows(row(page).first(), /Version 4\s+current/);
  await done(page);
});

test("a restore does not overwrite what another client stored meanwhile", async () => {
  const page = await openScreen(browser, service, "#/versions/main");
  await row(page, /^Version 1/).click();
  await page.getByRole("button", { name: "Restore as new version…" }).click();
  await save("Theirs.\n", "meanwhile");
  await page.getByRole("button", { name: "Restore version 1" }).click();
  await shows(page.getByRole("alert"), "Another client saved a new version");
  assert.equal(await service.get("main"), "Theirs.\n");
  await shows(row(page).first(), /Version 5\s+current/);
  await page.getByRole("button", { name: "Restore version 1" }).click();
  await page.getByRole("heading", { name: "Version 6" }).waitFor();
  assert.equal(await service.get("main"), "You are brief.\n");
  await done(page);
});

test("any two are compared, the default too, and what is unsaved in the editor", async () => {
  const page = await openScreen(browser, service, "#/edit/main");
  const text = page.getByRole("textbox", { name: "Template" });
  await text.click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("Not saved yet.");
  await drafted(page, "main", "Not saved yet.");
  await page.getByRole("link", { name: "Versions" }).click();
  const against = page.getByLabel("Compare with");
  await against.selectOption("editor");
  await shows(page.locator(".compare-heads"), "Unsaved text in the editor");
  await shows(page.locator(".cm-merge-b"), "Not saved yet.");
  await row(page, /^Version 3/).click();
  await against.selectOption("1");
  await shows(page.locator(".compare-heads"), /Version 1\s+Version 3/);
  await against.selectOption("0");
  await shows(page.locator(".cm-merge-a"), "You are a helpful coding assistant.");
  await shows(page.locator(".cm-merge-a"), "The current working directory is [prompt:cwd].");
  await row(page, /^Version 1/).click();
  await against.selectOption("before");
  await shows(page.locator(".compare-heads"), "Built-in default");
  await page.getByRole("button", { name: "Unified" }).click();
  await page.locator(".cm-deletedChunk").first().waitFor();
  await page.getByRole("button", { name: "Side by side" }).click();
  await page.locator(".cm-mergeView").waitFor();
  await done(page);
});

test("labels are added, moved and taken away", async () => {
  const page = await openScreen(browser, service, "#/versions/main");
  const open = async (version: number) => {
    await row(page, new RegExp(`^Version ${version}\\b`)).click();
    await page.getByRole("button", { name: "Labels…" }).click();
    return page.getByRole("dialog", { name: `Labels of version ${version}` });
  };
  let dialog = await open(2);
  await dialog.getByLabel("New label").fill("prod");
  await page.keyboard.press("Enter");
  await shows(dialog.getByRole("list", { name: "Labels of this version" }), "prod");
  await dialog.getByLabel("New label").fill("1bad");
  await shows(dialog.getByRole("status"), "start with a letter");
  assert.equal(await dialog.getByRole("button", { name: "Add" }).isDisabled(), true);
  await dialog.getByRole("button", { name: "Done" }).click();
  dialog = await open(3);
  await dialog.getByLabel("New label").fill("prod");
  await shows(dialog.getByRole("status"), "Currently on version 2; it will move to this version.");
  await dialog.getByLabel("New label").fill("");
  await dialog.getByRole("button", { name: "Move prod here from version 2" }).click();
  await shows(dialog.getByRole("list", { name: "Labels of this version" }), "prod");
  await clean(page, "labels");
  await dialog.getByRole("button", { name: "Remove prod" }).click();
  await shows(dialog, "No labels.");
  await done(page);
});

test("a long history is read in pages", async () => {
  for (let at = 1; at <= 130; at++) await save(`${at}\n`, `number ${at}`, "long");
  const page = await openScreen(browser, service, "#/versions/long");
  const list = page.getByRole("listbox", { name: "Versions" });
  await list.focus();
  await page.keyboard.press("End");
  await row(page, /^Version 31\b/).waitFor();
  await list.locator("[role=option][aria-setsize='130']").first().waitFor();
  await page.keyboard.press("End");
  await page.getByRole("heading", { name: "Version 1", exact: true }).waitFor();
  assert.ok((await row(page).count()) < 40, "only what is in sight is on the page");
  await done(page);
});

test("a missing template is reported", async () => {
  const page = await openScreen(browser, service, "#/versions/nobody");
  await shows(page.locator(".empty"), "This template does not exist yet.");
  await done(page);
});

test("two megabytes are compared without holding the page up", async () => {
  const line = (at: number) => `line ${at}: the quick brown fox jumps over the lazy dog and keeps going`;
  const big = Array.from({ length: 14_000 }, (_, at) => line(at));
  await save(big.join("\n"), "", "big");
  big[7000] = "another line";
  await save(big.join("\n"), "", "big");
  const page = await openScreen(browser, service, "#/versions/big");
  const most = await paced(page, 4000);
  const start = Date.now();
  await shows(page.locator(".cm-merge-b"), "another line");
  assert.ok(Date.now() - start < most, `it took ${Date.now() - start} ms`);
  assert.ok((await page.evaluate(() => document.body.textContent?.length ?? 0)) < 100_000, "no megabyte is on the page");
  await done(page);
});

test("hostile notes and texts are inert", async () => {
  await save(`${SCRIPT}\n${BIDI}\n`, `${SCRIPT}${BIDI}`, "evil");
  await save(`x\u2028y\u0007\r\n`, LONG, "evil");
  const page = await openScreen(browser, service, "#/versions/evil");
  await shows(row(page, /^Version 1/), "⟨U+202E⟩");
  await row(page, /^Version 1/).click();
  await shows(page.locator(".version-note"), "<script>window.pwned=1</script>⟨U+202E⟩gpj.exe⟨U+2066⟩⟨U+200B⟩");
  await shows(page.locator(".compare"), "⟨U+202E⟩gpj.exe");
  await inert(page);
  await done(page);
});

for (const colorScheme of SCHEMES) {
  test(`axe, ${colorScheme}`, async () => {
    const page = await openScreen(browser, service, "#/versions/main", { colorScheme });
    await page.locator(".cm-mergeView").waitFor();
    await clean(page, "side by side");
    await page.getByRole("button", { name: "Unified" }).click();
    await page.locator(".cm-deletedChunk").first().waitFor();
    await clean(page, "in one column");
    await row(page, /^Version 1/).click();
    await page.getByRole("button", { name: "Restore as new version…" }).click();
    await clean(page, "restore");
    await done(page);
  });

  test(`axe on a phone, ${colorScheme}`, async () => {
    const page = await openScreen(browser, service, "#/versions/evil", { colorScheme, ...PHONE });
    await row(page).first().waitFor();
    await clean(page, "the list");
    await row(page).first().click();
    await page.locator(".cm-editor").waitFor();
    await clean(page, "a version");
    await page.getByRole("button", { name: /All versions/ }).click();
    await row(page).first().waitFor();
    await done(page);
  });
}

test("on paper, a version is its text and nothing else", async () => {
  await service.put("paper", "Only this.\n");
  const page = await openScreen(browser, service, "#/versions/paper");
  await shows(page.locator(".compare-text"), "Only this.");
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await page.emulateMedia({ media: "print" });
  const words = await page.locator("body").innerText();
  assert.match(words, /^\s*paper: Version 1[\s\S]*Only this\.\s*$/);
  assert.doesNotMatch(words, /Restore|Labels|Compare/);
  await done(page);
});

test("a version with the text of the current one is not offered as a change", async () => {
  for (const line of ["same\n", "other\n", "same\n"]) await save(line, "", "again");
  const page = await openScreen(browser, service, "#/versions/again/1");
  await page.getByRole("button", { name: "Restore as new version…" }).click();
  await shows(page.getByRole("dialog"), "It has the same text as the current version.");
  await done(page);
});
