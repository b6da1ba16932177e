// The review before saving: what changes in the text and in the built prompt, the note, the labels; nothing typed there is lost.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { drafted, resolving, saveState, settled, shows, startBrowser, text, type } from "./browser";
import { clean, done, openScreen, PHONE, SCHEMES, send } from "./screens";
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

/** A template with a version, and unsaved words behind it. */
async function written(name: string, words: string, options = {}) {
  await service.put(name, "Follow [file:AGENTS.md]\n[if git:branch]On [git:branch].[endif]\n");
  const page = await openScreen(browser, service, `#/edit/${name}`, options);
  await settled(page);
  await text(page).focus();
  await page.keyboard.press("Control+End");
  await type(page, words);
  return page;
}

const dialog = (page: Page) => page.getByRole("dialog", { name: /^Review/ });

async function review(page: Page): Promise<void> {
  await page.keyboard.press("Control+Shift+S");
  await dialog(page).waitFor();
  await page.waitForFunction(() => !/Building/.test(document.querySelector(".review-sum")?.textContent ?? "Building"));
}

interface Version {
  version: number;
  note: string;
  labels: string[];
}
const versions = async (name: string) => ((await send(service, "GET", `/templates/${name}/versions`)) as unknown as { items: Version[] }).items;

test("by keyboard alone: both differences, a note, a label, and Save", async () => {
  const page = await written("keys", "Be brief. [system:os]\n");
  await review(page);
  await shows(dialog(page), "Version 1");
  await shows(dialog(page).locator(".compare-text"), "Be brief. [system:os]");
  await page.keyboard.type("the tone");
  await page.keyboard.press("Tab");
  await page.keyboard.type("prod, trial");
  await dialog(page).getByRole("tab", { name: "Template" }).focus();
  await page.keyboard.press("ArrowRight");
  const reasons = dialog(page).getByRole("listbox", { name: "Changes and their reasons" });
  await shows(reasons, /template[\s\S]*added in your text/);
  await shows(dialog(page).locator(".compare-text"), "Be brief. linux");
  await page.keyboard.press("Control+Enter");
  await shows(saveState(page), "Saved as version 2");
  await page.waitForFunction(() => document.querySelectorAll(".bar-labels .pill.static").length === 2);
  const [newest] = await versions("keys");
  assert.deepEqual([newest!.version, newest!.note, newest!.labels], [2, "the tone", ["prod", "trial"]]);
  await done(page);
});

test("Ctrl-S saves at once", async () => {
  const page = await written("quick", "more");
  await page.keyboard.press("Control+s");
  await shows(saveState(page), "Saved as version 2");
  assert.equal(await dialog(page).count(), 0);
  await done(page);
});

test("50: a note and labels outlive Esc and a reload, and are used once", async () => {
  const page = await written("esc", "more");
  await review(page);
  await page.keyboard.type("half a note");
  await page.keyboard.press("Tab");
  await page.keyboard.type("prod");
  await page.keyboard.press("Escape");
  await page.reload();
  await settled(page);
  await page.getByRole("button", { name: "Review…" }).click();
  await dialog(page).waitFor();
  assert.equal(await page.getByLabel("Note", { exact: true }).inputValue(), "half a note");
  assert.equal(await page.getByLabel("Labels", { exact: true }).inputValue(), "prod");
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await shows(page.locator(".bar-labels"), "prod");
  await text(page).focus();
  await type(page, "again");
  await review(page);
  assert.equal(await page.getByLabel("Note", { exact: true }).inputValue(), "");
  assert.equal(await page.getByLabel("Labels", { exact: true }).inputValue(), "");
  await done(page);
});

test("a label of an earlier version moves, one that is not valid is refused before anything is saved", async () => {
  const page = await written("move", "more");
  await send(service, "PUT", "/templates/move/labels/prod", { version: 1 });
  await page.reload();
  await settled(page);
  await review(page);
  await page.getByLabel("Labels", { exact: true }).fill("9");
  await shows(dialog(page), "9: use letters");
  assert.equal(await dialog(page).getByRole("button", { name: "Save" }).isDisabled(), true);
  await page.keyboard.press("Enter");
  await page.getByLabel("Labels", { exact: true }).fill("");
  await dialog(page).getByRole("button", { name: /^prod/ }).click();
  await shows(dialog(page), "prod moves from version 1 to the new version.");
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await shows(saveState(page), "Saved as version 2");
  await page.getByRole("button", { name: "Remove label prod" }).waitFor();
  assert.deepEqual((await versions("move")).map(({ labels }) => labels), [["prod"], []]);
  await done(page);
});

test("diagnostics that are new are listed and lead to the text", async () => {
  const page = await written("found", "[fiel:AGENTS.md]");
  await review(page);
  await shows(dialog(page).locator(".review-sum"), "1 new diagnostic.");
  await dialog(page).getByRole("tab", { name: /Diagnostics/ }).click();
  await dialog(page).getByRole("button", { name: /fiel/ }).first().click();
  await page.waitForFunction(() => document.activeElement?.getAttribute("aria-label") === "Template");
  assert.equal(await dialog(page).count(), 0);
  await done(page);
});

test("the prompts are built with the values that are set", async () => {
  const page = await written("tried", "[if tool:bash]Use the shell.[endif]\n");
  await page.getByText("Values as found").click();
  await page.getByLabel("Tools", { exact: true }).fill("bash");
  await settled(page);
  await review(page);
  await shows(dialog(page).locator(".review-sum"), "Built with the values that are set: tools.");
  await dialog(page).getByRole("tab", { name: "Built prompt" }).click();
  await shows(dialog(page).locator(".compare-text"), "Use the shell.");
  await done(page);
});

test("the note and the labels of a save that conflicts belong to the version that resolves it", async () => {
  const page = await written("conflict", "mine");
  await review(page);
  await page.keyboard.type("my note");
  await page.keyboard.press("Tab");
  await page.keyboard.type("prod");
  await send(service, "PUT", "/templates/conflict/labels/prod", { version: 1 });
  await service.put("conflict", "theirs\n");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Resolve…" }).waitFor();
  await page.keyboard.press("Control+Shift+S");
  await shows(dialog(page), "Save stores nothing yet and keeps the note and the labels");
  await page.keyboard.press("Escape");
  await drafted(page, "conflict", "mine");
  await page.reload();
  await settled(page);
  await text(page).focus();
  await page.keyboard.press("Control+s");
  const conflict = await resolving(page);
  await shows(conflict, /Note: my note prod .*new version\./);
  assert.deepEqual((await versions("conflict")).map(({ labels }) => labels), [[], ["prod"]]);
  await page.getByRole("button", { name: /^Save both/ }).click();
  await shows(saveState(page), "Saved as version 3");
  await shows(page.locator(".bar-labels"), /^prod/);
  await page.getByRole("button", { name: "Remove label prod" }).waitFor();
  const [newest] = await versions("conflict");
  assert.deepEqual([newest!.version, newest!.note, newest!.labels], [3, "my note", ["prod"]]);
  await text(page).focus();
  await type(page, "more");
  await review(page);
  assert.equal(await page.getByLabel("Note", { exact: true }).inputValue(), "");
  assert.equal(await page.getByLabel("Labels", { exact: true }).inputValue(), "");
  await done(page);
});

for (const colorScheme of SCHEMES) {
  for (const [where, options] of [["wide", {}], ["on a phone", PHONE]] as const) {
    test(`axe: ${where}, ${colorScheme}`, async () => {
      const page = await written(`axe-${where.length}-${colorScheme}`, "Be brief. [system:os] [fiel:x]", { ...options, colorScheme });
      await send(service, "PUT", `/templates/axe-${where.length}-${colorScheme}/labels/prod`, { version: 1 });
      await review(page);
      for (const name of [/Template/, /Built prompt/, /Diagnostics/]) {
        await dialog(page).getByRole("tab", { name }).click();
        await clean(page, String(name));
      }
      await done(page);
    });
  }
}
