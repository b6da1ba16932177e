// The preview can be tried with other values: tools, clock, conversation, variables; both branches of a condition.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { openPage, preview, settled, shows, startBrowser, type Watched } from "./browser";
import { clean } from "./screens";
import { startService, type Service } from "./service";

const TEMPLATE = [
  "On [git:branch] at [system:time] for [prompt:conversation_id].",
  "[if tool:bash]Use bash.[else]No shell.[endif]",
  "[if file:gone.md]There.[else]Not there.[endif]",
  "[if file:AGENTS.md][file:AGENTS.md][else]No rules.[endif]",
].join("\n");

let service: Service;
let browser: Browser;

before(async () => {
  service = await startService();
  browser = await startBrowser();
  await service.put("tried", TEMPLATE);
  await service.put("other", "On [git:branch].");
});
after(async () => {
  await browser?.close();
  await service?.end();
});

async function on(act: (page: Watched) => Promise<void>, options = {}): Promise<void> {
  const page = await openPage(browser, `${service.page}/#/edit/tried`, options);
  await act(page);
  assert.deepEqual(page.troubles, []);
  await page.context().close();
}

const panel = (page: Page) => page.locator(".values summary");
const value = (page: Page, key: string) => page.getByLabel(`Value of ${key}`);

test("the preview takes tools, clock, conversation and variables, and keeps them for the template", () =>
  on(async (page) => {
    await shows(preview(page), "On main at");
    await shows(preview(page), "No shell.");
    await panel(page).click();
    await page.getByLabel("Tools").fill("bash, read");
    await page.getByLabel("Clock").fill("2031-02-03T09:30:00Z");
    await page.getByLabel("Conversation id").fill("c-42");
    await value(page, "git:branch").selectOption("text");
    await page.getByLabel("Text of git:branch").fill("release");
    await shows(preview(page), "On release at 2031-02-03T09:30:00.000Z for c-42.");
    await shows(preview(page), "Use bash.");
    await clean(page, "values");

    await page.goto(`${service.page}/#/edit/other`);
    await shows(preview(page), "On main.");
    await page.goto(`${service.page}/#/edit/tried`);
    await page.reload();
    await shows(preview(page), "On release at 2031-02-03T09:30:00.000Z for c-42.");
    await shows(panel(page), "tools, conversation id, clock, git:branch");
    await panel(page).click();
    await page.getByRole("button", { name: "Use what is found" }).click();
    await shows(preview(page), "On main at");
    await shows(panel(page), "as found");
  }));

test("a variable is set or made absent", () =>
  on(async (page) => {
    await panel(page).click();
    await value(page, "file:AGENTS.md").selectOption("absent");
    await shows(preview(page), "No rules.");
    await value(page, "file:AGENTS.md").selectOption("text");
    await page.getByLabel("Text of file:AGENTS.md").fill("Line 1\nLine 2");
    await shows(preview(page), /Line 1\s+Line 2/);
    await preview(page).locator(".value", { hasText: "Line 1" }).hover();
    await shows(page.locator(".card-inside"), "from Values of this preview");
  }));

test("a condition shows its other branch, and what is found again", () =>
  on(async (page) => {
    const tag = page.locator(".text-field .tag-if", { hasText: "file:gone.md" });
    const other = page.getByRole("button", { name: "Preview the other branch" });
    await shows(preview(page), "Not there.");
    await tag.hover();
    await other.click();
    await page.waitForFunction(() => !/Not there/.test(document.querySelector(".preview .cm-content")?.textContent ?? "Not there"));
    await shows(preview(page), "There.");
    await shows(panel(page), "file:gone.md");
    await page.mouse.move(5, 5);
    await page.locator(".card-inside").waitFor({ state: "detached" });
    await tag.hover();
    await page.getByRole("button", { name: "Preview as found" }).click();
    await shows(preview(page), "Not there.");
  }));

test("a value that cannot be used is reported, and nothing of it stays", () =>
  on(async (page) => {
    await panel(page).click();
    await page.getByLabel("Clock").fill("soon");
    await shows(page.locator(".preview .trouble"), "soon");
    await page.getByLabel("Clock").fill("");
    await page.locator(".preview .trouble").waitFor({ state: "detached" });
    await settled(page);
  }));

test("an unknown variable with a tried value is no unknown one, and has no diagnostics", async () => {
  await service.put("team", "[if env:TEAM]For [env:TEAM].[endif]\n");
  const page = await openPage(browser, `${service.page}/#/edit/team`);
  const tag = page.locator(".text-field .tag-variable");
  await page.locator(".text-field .tag-variable.lasts-unknown").waitFor();
  await panel(page).click();
  await value(page, "env:TEAM").selectOption("text");
  await page.getByLabel("Text of env:TEAM").fill("blue");
  await shows(preview(page), "For blue.");
  assert.doesNotMatch((await tag.getAttribute("class"))!, /unknown|absent|dead/);
  await shows(page.locator(".findings-box"), /No problems found/);
  await page.context().close();
});

test("on a small screen the toolbar keeps Save on its first row, and directory and model have a row each", async () => {
  const top = async (page: Page, name: "Save" | "main") => (await page.getByRole("button", { name: name === "Save" ? /^Save/ : /Template: / }).first().boundingBox())!.y;
  const phone = await openPage(browser, service.page, { viewport: { width: 390, height: 844 } });
  assert.ok(Math.abs((await top(phone, "Save")) - (await top(phone, "main"))) < 8);
  await phone.context().close();
  const tablet = await openPage(browser, service.page, { viewport: { width: 768, height: 900 } });
  const [directory, model] = await Promise.all(["Directory", "Model"].map((label) => tablet.getByLabel(label, { exact: true }).boundingBox()));
  assert.ok(model!.y > directory!.y + directory!.height, "two rows");
  assert.ok(model!.width > 120, String(model!.width));
  await tablet.context().close();
});
