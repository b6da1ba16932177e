// Texts leave the page whole and exact: by button, and by Ctrl-A and Ctrl-C in a text that is only read.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { newContext, newPage, preview, settled, shows, startBrowser } from "./browser";
import { send } from "./screens";
import { startService, write, type Service } from "./service";

/** One line of everything that is lost easily: emoji, a letter of two units, right-to-left, marks, a tab, a line end of two. */
const LINE = "🦊 née 𝒳 שלום، مرحبا \u202b+\u202c a\tb \u2028 z\r\n";

/** At least so many bytes, and no more than a line beyond; the last line has no end. */
function sized(bytes: number): string {
  const line = new TextEncoder().encode(LINE).length;
  const lines = Array.from({ length: Math.ceil(bytes / (line + 7)) }, (_, at) => `${String(at).padStart(6)} ${LINE}`);
  return `${lines.join("")}the end`;
}

const SIZES = { "10 KB": sized(10_000), "1 MB": sized(980_000) };

let service: Service;
let browser: Browser;

before(async () => {
  service = await startService();
  browser = await startBrowser();
  for (const [size, text] of Object.entries(SIZES)) {
    const name = nameOf(size);
    await service.put(name, `older\n${text}`);
    await service.put(name, text);
    await send(service, "POST", `/conversations/${name}/turns`, { options: { template: name, directory: service.root } });
    await write(service.root, `${name}.txt`, text);
  }
  await service.put("card", `[file:${nameOf("10 KB")}.txt]`);
  await send(service, "POST", "/conversations/card/turns", { options: { template: "card", directory: service.root } });
});
after(async () => {
  await browser?.close();
  await service?.end();
});

const nameOf = (size: string): string => `size-${size.replace(" ", "-")}`;

async function opened(hash: string, plain = false): Promise<Page> {
  const context = await newContext(browser);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const page = await newPage(context);
  // What a page over plain HTTP from another host lacks.
  if (plain) await page.addInitScript(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
  await page.goto(`${service.page}/${hash}`);
  return page;
}

/** What is on the clipboard, read by a page of its own; `act` puts it there. */
async function pasted(page: Page, act: () => Promise<void>): Promise<string> {
  const reader = await page.context().newPage();
  await reader.goto(`${service.page}/plain`);
  await reader.evaluate(() => navigator.clipboard.writeText("before"));
  await page.bringToFront();
  await act();
  await reader.bringToFront();
  let text = "before";
  for (let tries = 0; text === "before" && tries < 60; tries++) {
    await reader.waitForTimeout(50);
    text = await reader.evaluate(() => navigator.clipboard.readText());
  }
  await reader.close();
  await page.bringToFront();
  return text;
}

/** Equal to the byte, without a megabyte in the message. */
function exactly(found: string, wanted: string): void {
  if (found === wanted) return;
  let at = 0;
  while (found[at] === wanted[at] && at < found.length) at++;
  assert.fail(`${found.length} of ${wanted.length} units, different from unit ${at}: ${JSON.stringify(found.slice(at, at + 60))}`);
}

async function all(page: Page): Promise<void> {
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Control+c");
}

for (const [size, text] of Object.entries(SIZES)) {
  test(`the preview of ${size}`, async () => {
    const page = await opened(`#/edit/${nameOf(size)}`);
    await settled(page);
    await shows(preview(page), "🦊");
    exactly(await pasted(page, () => page.getByRole("button", { name: "Copy prompt" }).click()), text);
    exactly(
      await pasted(page, async () => {
        await preview(page).focus();
        await all(page);
      }),
      text,
    );
    await page.context().close();
  });

  test(`the prompt of a conversation of ${size}`, async () => {
    const page = await opened(`#/conversations/${nameOf(size)}`);
    const prompt = page.locator(".prompt-text .cm-content");
    await shows(prompt, "🦊");
    exactly(await pasted(page, () => page.getByRole("button", { name: "Copy prompt" }).click()), text);
    exactly(
      await pasted(page, async () => {
        await prompt.focus();
        await all(page);
      }),
      text,
    );
    await page.context().close();
  });

  test(`versions and both sides of a comparison of ${size}`, async () => {
    const page = await opened(`#/versions/${nameOf(size)}`);
    await shows(page.locator(".cm-merge-b"), "🦊");
    const button = (label: string) => page.getByRole("button", { name: `Copy text of ${label}` });
    exactly(await pasted(page, () => button("version 2 (current)").click()), text);
    exactly(await pasted(page, () => button("version 1").click()), `older\n${text}`);
    for (const [side, wanted] of [["a", `older\n${text}`], ["b", text]] as const) {
      const found = await pasted(page, async () => {
        await page.locator(`.cm-merge-${side} .cm-content`).focus();
        await all(page);
      });
      exactly(found, wanted);
    }
    await page.context().close();
  });
}

test("the whole value of a card, of which the card shows the beginning", async () => {
  const text = SIZES["10 KB"];
  const page = await opened("#/edit/card");
  await settled(page);
  const copyValue = page.getByRole("button", { name: "Copy value" });
  await preview(page).locator(".value").first().hover();
  await copyValue.waitFor();
  exactly(await pasted(page, () => copyValue.click()), text);
  await preview(page).focus();
  await page.keyboard.press("ArrowDown");
  await copyValue.waitFor();
  exactly(await pasted(page, () => page.keyboard.press("Control+c")), text);
  await page.getByRole("textbox", { name: "Template" }).focus();
  await page.keyboard.press("Alt+Enter");
  exactly(await pasted(page, () => copyValue.click()), text);
  await page.goto(`${service.page}/#/conversations/card`);
  await page.locator(".prompt-text .value").first().hover();
  exactly(await pasted(page, () => copyValue.click()), text);
  await page.context().close();
});

test("a page without a clipboard copies by its copy event", async () => {
  const page = await opened(`#/edit/${nameOf("1 MB")}`, true);
  await settled(page);
  assert.equal(await page.evaluate(() => navigator.clipboard), undefined);
  exactly(await pasted(page, () => page.getByRole("button", { name: "Copy prompt" }).click()), SIZES["1 MB"]);
  await shows(page.getByRole("status", { name: "Messages" }), /^Prompt copied: [\d,]+ characters\./);
  await page.context().close();
});

test("the menu has the template, the request and the link", async () => {
  const page = await opened("#/edit/card");
  await settled(page);
  const choose = (what: string) => async () => {
    await page.locator(".copy-menu summary").click();
    await page.getByRole("button", { name: `Copy ${what}` }).click();
  };
  const template = `[file:${nameOf("10 KB")}.txt]`;
  exactly(await pasted(page, choose("template")), template);
  const request = await pasted(page, choose("request JSON"));
  const body = JSON.parse(request) as { template: string; options: { directory: string } };
  assert.deepEqual([body.template, body.options.directory], [template, service.root]);
  const reply = await send(service, "POST", "/system-prompt/analyze", body);
  assert.equal((reply.preview as { text: string }).text, SIZES["10 KB"]);
  exactly(await pasted(page, choose("link")), `${service.page}/#/edit/card`);
  await page.context().close();
});

test("a conversation has its turn as a request", async () => {
  const page = await opened("#/conversations/card");
  await page.getByRole("heading", { name: "card" }).waitFor();
  const request = await pasted(page, async () => {
    await page.locator(".copy-menu summary").click();
    await page.getByRole("button", { name: "Copy request JSON" }).click();
  });
  const again = await send(service, "POST", "/conversations/card-again/turns", JSON.parse(request));
  assert.equal(again.system_prompt, SIZES["10 KB"]);
  await page.context().close();
});
