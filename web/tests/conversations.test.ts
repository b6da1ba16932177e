// Conversations: the list, one of them with its origins, refreshing, compacting, what was before, forgetting.
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { paced, shows, startBrowser } from "./browser";
import { BIDI, clean, done, inert, openScreen, PHONE, SCHEMES, SCRIPT, send, ZOOMED } from "./screens";
import { startService, write, type Service } from "./service";

let service: Service;
let browser: Browser;

const turn = (id: string, body: object = {}) => send(service, "POST", `/conversations/${encodeURIComponent(id)}/turns`, { options: { directory: service.root, ...body } });
const prompt = async (id: string) => (await send(service, "GET", `/conversations/${id}/system-prompt`)).system_prompt as string;
const at = (id: string) => `#/conversations/${encodeURIComponent(id)}`;
const text = (page: Page) => page.locator(".prompt-text .cm-content");
const card = (page: Page) => page.locator(".prompt-text .card-inside");

before(async () => {
  service = await startService();
  browser = await startBrowser();
  await service.put("main", "Ümläut €😀 first.\n[file:AGENTS.md]\nYou work in [prompt:cwd], on [system:os].\n");
  await turn("c-1", { model: "some-model" });
});
after(async () => {
  await browser?.close();
  await service?.end();
});

test("the list finds by the beginning of an id and by template", async () => {
  await service.put("other", "Other.\n");
  await turn("find-a");
  await turn("find-b", { template: "other" });
  const page = await openScreen(browser, service, "#/conversations");
  const list = page.getByRole("listbox", { name: "Conversations" });
  await list.getByRole("option", { name: /^c-1/ }).waitFor();
  await page.getByLabel("Filter by id prefix").fill("find-");
  await list.getByRole("option", { name: /^c-1/ }).waitFor({ state: "detached" });
  assert.equal(await list.getByRole("option").count(), 2);
  await page.getByLabel("Template").selectOption("other");
  await list.getByRole("option", { name: /^find-a/ }).waitFor({ state: "detached" });
  await list.focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "find-b" }).waitFor();
  await page.getByLabel("Filter by id prefix").fill("nobody");
  await shows(page.locator(".empty"), "No matching conversations.");
  await done(page);
});

test("the link of the template opens the version that the prompt was built from", async () => {
  await service.put("linked", "one\n");
  await turn("link-a", { template: "linked" });
  await service.put("linked", "two\n");
  const page = await openScreen(browser, service, at("link-a"));
  await page.getByRole("link", { name: "linked, version 1" }).click();
  await page.waitForFunction(() => location.hash === "#/versions/linked/1");
  await done(page);
});

test("the source of each run is shown by keyboard, by click and by hovering", async () => {
  const page = await openScreen(browser, service, at("c-1"));
  await shows(text(page), "Ümläut €😀 first.");
  assert.equal(await page.locator(".run.value").first().innerText(), "Use tabs.", "bytes and units are not the same");
  await text(page).focus();
  await page.keyboard.press("ArrowDown");
  await shows(card(page), /template main\s+text of version 1, bytes 0 to/);
  await page.keyboard.press("ArrowDown");
  await shows(card(page), /file:AGENTS\.md\s+value from AGENTS\.md\s+fixed for a conversation\s+10 B, about 3 tokens/);
  await shows(card(page), "Part user-template");
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowUp");
  await shows(card(page), "system:os");
  await page.keyboard.press("Escape");
  await card(page).waitFor({ state: "detached" });
  await page.locator(".run.value", { hasText: service.root }).click();
  await shows(card(page), "prompt:cwd");
  await page.keyboard.press("Escape");
  await page.mouse.move(0, 0);
  await page.locator(".run.value").first().hover();
  await shows(card(page), "file:AGENTS.md");
  await done(page);
});

test("a run that is hovered over and then clicked is shown once", async () => {
  const page = await openScreen(browser, service, at("c-1"));
  await page.locator(".run.value").first().hover();
  await shows(card(page), "file:AGENTS.md");
  await page.locator(".run.value").first().click();
  await page.waitForTimeout(400);
  assert.equal(await card(page).count(), 1);
  await done(page);
});

test("an earlier version of a conversation shows that there is a newer one", async () => {
  await service.put("grows", "One.\n");
  await turn("elder", { template: "grows" });
  await service.put("grows", "Two.\n");
  const page = await openScreen(browser, service, at("elder"));
  await shows(page.locator(".about-prompt"), /grows, version 1\s+newer version 2/);
  await shows(page.getByRole("option", { name: /^elder/ }), "newer version 2");
  const tabs = () => page.getByRole("tablist").evaluate((element) => element.getBoundingClientRect().top);
  const before = await tabs();
  await send(service, "POST", "/conversations/elder/refresh", {});
  await page.reload();
  await shows(page.locator(".about-prompt"), "revision 2");
  assert.equal(await page.locator(".about-prompt").getByText("newer").count(), 0);
  assert.equal(await tabs(), before, "nothing moves when a prompt is built afresh");
  await done(page);
});

test("on paper, a conversation is its prompt and nothing else", async () => {
  const page = await openScreen(browser, service, at("c-1"));
  await shows(text(page), "Ümläut");
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await page.emulateMedia({ media: "print" });
  const words = await page.locator("body").innerText();
  assert.match(words, /^\s*System prompt of c-1\s+main, version 1; revision 1.*\s+Ümläut €😀 first\.\s+Use tabs\./);
  assert.doesNotMatch(words, /Refresh|Filter by id prefix|Status/);
  await done(page);
});

test("it shows what it was built from", async () => {
  const page = await openScreen(browser, service, at("c-1"));
  await page.getByRole("tab", { name: "Inputs" }).click();
  const built = page.locator(".built");
  await shows(built, /Directory\s+\/.*work/);
  await shows(built, /file:AGENTS\.md\s*fixed for a conversation/);
  await shows(built, "blake3:");
  await done(page);
});

test("a refresh is shown before it is stored", async () => {
  const before = await prompt("c-1");
  await write(service.root, "AGENTS.md", "Use spaces.\n");
  const page = await openScreen(browser, service, at("c-1"));
  await page.getByRole("button", { name: "Refresh…" }).click();
  const dialog = page.getByRole("dialog", { name: "Refresh prompt" });
  await shows(dialog.locator(".cm-merge-a"), "Use tabs.");
  await shows(dialog.locator(".cm-merge-b"), "Use spaces.");
  await shows(dialog, /The first \d+ tokens stay cached/);
  await shows(dialog, /changed\s+user-template/);
  assert.equal(await prompt("c-1"), before, "nothing is kept yet");
  await clean(page, "refresh");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  assert.equal(await prompt("c-1"), before, "nor after going away");
  await page.getByRole("button", { name: "Refresh…" }).click();
  await dialog.getByRole("button", { name: "Store new prompt" }).click();
  await shows(page.getByRole("status", { name: "Messages" }), "Revision 2 stored.");
  await shows(text(page), "Use spaces.");
  assert.match(await prompt("c-1"), /Use spaces/);
  await page.getByRole("button", { name: "Refresh…" }).click();
  await shows(dialog, "No changes");
  assert.equal(await dialog.getByRole("button", { name: "Store new prompt" }).isDisabled(), true);
  await done(page);
});

test("a refresh may be for something else", async () => {
  await service.put("short", "Short.\n");
  await turn("else");
  const page = await openScreen(browser, service, at("else"));
  await page.getByRole("button", { name: "Refresh…" }).click();
  const dialog = page.getByRole("dialog");
  await shows(dialog, "No changes");
  await dialog.getByText("Change inputs").click();
  await dialog.getByLabel("Template").fill("nobody");
  await dialog.getByRole("button", { name: "Preview changes" }).click();
  await shows(dialog.getByRole("alert"), "nobody");
  await dialog.getByLabel("Template").fill("short");
  await page.keyboard.press("Enter");
  await shows(dialog.locator(".cm-merge-b"), "Short.");
  await dialog.getByRole("button", { name: "Store new prompt" }).click();
  await shows(text(page), "Short.");
  assert.equal(await prompt("else"), "Short.\n");
  await done(page);
});

test("a refresh does not overwrite what was stored meanwhile", async () => {
  await turn("race");
  const page = await openScreen(browser, service, at("race"));
  await write(service.root, "AGENTS.md", "One.\n");
  await page.getByRole("button", { name: "Refresh…" }).click();
  const dialog = page.getByRole("dialog");
  await shows(dialog.locator(".cm-merge-b"), "One.");
  await write(service.root, "AGENTS.md", "Two.\n");
  await send(service, "POST", "/conversations/race/compactions");
  await dialog.getByRole("button", { name: "Store new prompt" }).click();
  await shows(dialog.getByRole("alert"), "This conversation was changed by another client.");
  await dialog.getByRole("button", { name: "Preview changes" }).click();
  await shows(dialog, "No changes");
  await done(page);
});

test("49: a compaction shows what it would change, and then what it added", async () => {
  await turn("grown");
  await write(service.root, "AGENTS.md", "Grown.\n");
  const page = await openScreen(browser, service, at("grown"));
  await page.getByRole("button", { name: "Prompt for compaction…" }).click();
  let dialog = page.getByRole("dialog", { name: "Prompt for a compaction" });
  await shows(dialog.locator(".cm-merge-b"), "Grown.");
  await clean(page, "compact");
  await dialog.getByLabel("Additional instructions").fill("Sum it up in one line.");
  // What was typed survives Escape and a reload.
  await page.keyboard.press("Escape");
  await page.reload();
  await page.getByRole("button", { name: "Prompt for compaction…" }).click();
  assert.equal(await dialog.getByLabel("Additional instructions").inputValue(), "Sum it up in one line.");
  await dialog.getByRole("button", { name: "Build and store" }).click();
  dialog = page.getByRole("dialog", { name: "Revision 2 stored" });
  await shows(dialog, "Sum it up in one line.");
  await clean(page, "compacted");
  await dialog.getByRole("button", { name: "Done" }).click();
  await shows(text(page), "Grown.");
  assert.doesNotMatch(await prompt("grown"), /Sum it up/);
  await done(page);
});

test("earlier prompts are shown beside what replaced them", async () => {
  const page = await openScreen(browser, service, at("c-1"));
  await page.getByRole("tab", { name: /History/ }).click();
  await shows(page.locator(".compare-heads"), /Revision 1\s+Revision 2 \(current\)/);
  await shows(page.locator(".history .cm-merge-a"), "Use tabs.");
  await shows(page.locator(".history .cm-merge-b"), "Use spaces.");
  await done(page);
});

test("a conversation is forgotten after a question", async () => {
  await turn("gone");
  const page = await openScreen(browser, service, at("gone"));
  await page.getByRole("button", { name: "Delete…" }).click();
  await clean(page, "forget");
  await page.getByRole("button", { name: "Cancel" }).click();
  await prompt("gone");
  await page.getByRole("button", { name: "Delete…" }).click();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await shows(page.getByRole("status", { name: "Messages" }), "Deleted gone.");
  await page.getByText("Select a conversation").waitFor();
  assert.equal((await fetch(`${service.url}/conversations/gone/system-prompt`)).status, 404);
  await page.goto(`${service.page}/${at("gone")}`);
  await shows(page.locator(".empty"), "Conversation gone not found");
  await done(page);
});

test("a megabyte stays fluid", async () => {
  const lines = Array.from({ length: 14_000 }, (_, line) => `line ${line}: the quick brown fox jumps over the lazy dog, und über €`);
  await write(service.root, "big.md", lines.join("\n"));
  await service.put("big", "[file:big.md]\nThe end of [prompt:cwd].\n");
  await turn("big", { template: "big" });
  const page = await openScreen(browser, service, at("big"));
  await shows(text(page), "line 0:");
  const most = await paced(page, 1500);
  const start = Date.now();
  await text(page).focus();
  await page.keyboard.press("End");
  await shows(text(page), "The end of");
  await page.keyboard.press("ArrowUp");
  await shows(card(page), "prompt:cwd");
  assert.ok(Date.now() - start < most, `going to the end took ${Date.now() - start} ms`);
  assert.ok((await page.evaluate(() => document.body.textContent?.length ?? 0)) < 60_000, "no megabyte is on the page");
  await write(service.root, "big.md", lines.join("\n").replace("line 9000:", "LINE 9000:"));
  await page.getByRole("button", { name: "Refresh…" }).click();
  await shows(page.locator(".cm-merge-b"), "LINE 9000:");
  await done(page);
});

test("hostile ids, models, directories and values are inert", async () => {
  const ids = ["<script>window.pwned=1</script>", `x${BIDI} id/with slash?&#hash%2e`, "n".repeat(255)];
  const directory = `${service.root}/<b>${BIDI}<b>`;
  await mkdir(directory, { recursive: true });
  await write(directory, "AGENTS.md", `${SCRIPT}${BIDI}\n`);
  for (const id of ids) await turn(id, { directory, model: `${SCRIPT}${BIDI}${"m".repeat(3000)}` });
  for (const id of ids) {
    const page = await openScreen(browser, service, at(id));
    await shows(text(page), "<script>window.pwned=1</script>⟨U+202E⟩gpj.exe");
    await shows(page.locator(".about-prompt"), "⟨U+202E⟩gpj.exe");
    await page.locator(".run.value").first().click();
    await card(page).waitFor();
    for (const tab of ["Inputs", "History", "Prompt"]) {
      // The tab with problems has their number behind its name: the hidden characters of these names are reported.
      await page.getByRole("tab", { name: new RegExp(`^${tab}`) }).click();
      await page.waitForTimeout(80);
      await inert(page);
    }
    await page.getByRole("button", { name: "Delete…" }).click();
    await inert(page);
    await clean(page, `conversation ${id.slice(0, 20)}`);
    await done(page);
  }
});

test("an empty prompt and an unreachable service are reported", async () => {
  await service.put("empty", "");
  await turn("none", { template: "empty" });
  const page = await openScreen(browser, service, at("none"));
  await shows(page.locator(".empty"), "No system prompt");
  await service.stop();
  await page.getByRole("button", { name: "Reload" }).click();
  await shows(page.getByRole("alert"), "The service is not responding.");
  await service.start();
  await page.getByRole("button", { name: "Reload" }).click();
  await page.getByRole("alert").waitFor({ state: "detached" });
  page.troubles = page.troubles.filter((trouble) => !/ERR_CONNECTION/.test(trouble));
  await done(page);
});

for (const colorScheme of SCHEMES) {
  test(`axe, ${colorScheme}`, async () => {
    const page = await openScreen(browser, service, at("c-1"), { colorScheme });
    await shows(text(page), "Use spaces.");
    await text(page).focus();
    await page.keyboard.press("End");
    await card(page).waitFor();
    await clean(page, "prompt");
    for (const [tab, shown] of [[/Inputs/, ".built"], [/History/, ".history .cm-editor"]] as const) {
      await page.getByRole("tab", { name: tab }).click();
      await page.locator(shown).first().waitFor();
      await clean(page, String(tab));
    }
    await done(page);
  });

  test(`axe on a phone, ${colorScheme}`, async () => {
    const page = await openScreen(browser, service, "#/conversations", { colorScheme, ...PHONE });
    await page.getByRole("listbox").getByRole("option").first().waitFor();
    await clean(page, "the list");
    await page.getByRole("listbox").getByRole("option", { name: /^c-1/ }).click();
    await shows(text(page), "Use spaces.");
    await clean(page, "one of them");
    await page.getByRole("tab", { name: /Inputs/ }).click();
    await clean(page, "built from");
    await page.getByRole("link", { name: /All conversations/ }).click();
    await page.getByRole("listbox").getByRole("option").first().waitFor();
    await done(page);
  });
}

test("at 200 % everything can be reached", async () => {
  const page = await openScreen(browser, service, at("c-1"), ZOOMED);
  await shows(text(page), "Use spaces.");
  await page.getByRole("status", { name: "Size of the prompt" }).scrollIntoViewIfNeeded();
  const box = (await page.locator(".prompt-text").boundingBox())!;
  assert.ok(box.height > 150, `the text has room: ${box.height}`);
  await clean(page, "200 %");
  await done(page);
});
