// The preview knows where each byte came from, by pointer and by keyboard; buttons put variables into the text.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { choose, newContext, newPage, openPage, preview, settled, shows, slowDown, startBrowser, text, type, type Watched } from "./browser";
import { clean } from "./screens";
import { startService, until, write, type Service } from "./service";

const TEMPLATE = "é In [prompt:cwd].\n[if file:gone.md][prompt:cwd][endif]\n[file:AGENTS.md]Again [prompt:cwd] at [system:time].\n";

let service: Service;
let browser: Browser;

before(async () => {
  service = await startService();
  browser = await startBrowser();
  await service.put("main", TEMPLATE);
});
after(async () => {
  await browser?.close();
  await service?.end();
});

async function on(act: (page: Watched) => Promise<void>, viewport = { width: 1440, height: 900 }): Promise<void> {
  const page = await openPage(browser, service.page, { viewport });
  await act(page);
  assert.deepEqual(page.troubles, []);
  await page.context().close();
}

const selected = (page: Watched): Promise<string> => page.evaluate(() => getSelection()?.toString() ?? "");

/** Writes into the search and presses Enter, without a moment between. */
async function searchFor(page: Page, words: string): Promise<void> {
  await page.getByRole("searchbox", { name: "Search variables" }).focus();
  await Promise.all([page.keyboard.insertText(words), page.keyboard.press("Enter")]);
}

const inText = (): boolean => document.activeElement?.getAttribute("aria-label") === "Template";
const inPreview = (): boolean => document.activeElement?.getAttribute("aria-label") === "Preview";

test("a click on a value goes to its own tag, not to another with the same key", () =>
  on(async (page) => {
    await preview(page).locator(".value").nth(2).click();
    await page.waitForFunction(inText);
    assert.equal(await selected(page), "[prompt:cwd]");
    await shows(page.locator(".caret"), "3:35");
  }));

test("a click on text goes to the very place", () =>
  on(async (page) => {
    const again = preview(page).locator(".cm-line", { hasText: "Again" });
    await again.evaluate((line) => {
      const node = [...line.childNodes].find((child) => child.textContent?.includes("Again"))!;
      const leaf = node.firstChild ?? node;
      const range = document.createRange();
      range.setStart(leaf, 2);
      range.setEnd(leaf, 3);
      const { left, top, height } = range.getBoundingClientRect();
      for (const kind of ["mousedown", "mouseup", "click"]) {
        const options = { bubbles: true, clientX: left + 1, clientY: top + height / 2, detail: 1, view: window };
        leaf.parentElement!.dispatchEvent(new MouseEvent(kind, options));
      }
    });
    await page.waitForFunction(inText);
    await shows(page.locator(".caret"), "3:19");
  }));

test("hovering a value shows its key, value, lifetime and source", () =>
  on(async (page) => {
    await preview(page).locator(".value").nth(1).hover();
    const card = page.locator(".preview .card-inside");
    await card.waitFor();
    for (const words of ["file:AGENTS.md", "Use tabs.", "fixed for a conversation", "10 B, about 3 tokens", "from AGENTS.md"]) await shows(card, words);
  }));

test("the card of a value of several lines leaves its lines free: a click there goes to the source", async () => {
  await write(service.root, "lines.md", "one\ntwo\nthree\nfour\nfive\nsix\n");
  await service.put("lines", "Before\n[file:lines.md]\n");
  const page = await openPage(browser, `${service.page}/#/edit/lines`);
  const third = preview(page).locator(".value", { hasText: "three" });
  await third.hover();
  await page.locator(".preview .card-inside").waitFor();
  const last = (await preview(page).locator(".value", { hasText: "six" }).boundingBox())!;
  const card = (await page.locator(".preview .card-inside").boundingBox())!;
  assert.ok(card.y >= last.y + last.height - 2, `${card.y} is above ${last.y + last.height}`);
  await third.click();
  await page.waitForFunction(inText);
  assert.equal(await selected(page), "[file:lines.md]");
  await page.context().close();
});

test("the card of a long value leaves most of the preview free", async () => {
  await write(service.root, "long.md", "a word and another one\n".repeat(300));
  await service.put("long", "Before\n[file:long.md]\n");
  const page = await openPage(browser, `${service.page}/#/edit/long`, { viewport: { width: 800, height: 600 } });
  await preview(page).locator(".value").first().hover();
  const card = page.locator(".preview .card-inside");
  await card.waitFor();
  const { height } = (await card.boundingBox())!;
  assert.ok(height < 220, `${height} pixels`);
  assert.ok(await card.locator(".about-value").evaluate((box) => box.scrollHeight > box.clientHeight), "the value scrolls");
  await page.context().close();
});

test("the keyboard does what the pointer does", () =>
  on(async (page) => {
    await preview(page).focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await shows(page.locator(".preview .card-inside"), "prompt:cwd");
    await page.keyboard.press("Enter");
    await page.waitForFunction(inText);
    assert.equal(await selected(page), "[prompt:cwd]");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Alt+Enter");
    await shows(page.locator(".text .card-inside"), service.root);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+Enter");
    await page.waitForFunction(inPreview);
    await shows(page.locator(".preview .card-inside"), "prompt:cwd");
  }));

test("a tag in a branch that is not taken is marked", () =>
  on(async (page) => {
    await page.locator(".text .cm-line").nth(1).locator(".tag-if").hover();
    await shows(page.locator(".text .card-inside"), "is false");
    await shows(page.locator(".text .card-inside"), "Not found");
  }));

test("a button inserts at the caret and gives the text the focus back", () =>
  on(async (page) => {
    await text(page).focus();
    await page.keyboard.press("Control+Home");
    await page.locator(".palette .row-main", { hasText: "branch" }).first().click();
    assert.ok(await page.evaluate(inText));
    await page.keyboard.type("!");
    await shows(text(page), "[git:branch]!é In");
    await page.getByRole("button", { name: "If git:branch exists" }).focus();
    await page.keyboard.press("Enter");
    await page.waitForFunction(inText);
    await shows(text(page), "[if git:branch]");
    await page.keyboard.press("Control+z");
    await settled(page);
  }));

test("a condition is made with a button and completion, and what is typed next is in its branch", () =>
  on(async (page) => {
    await text(page).focus();
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Delete");
    await page.getByRole("button", { name: "If it exists" }).click();
    await page.waitForFunction(inText);
    await page.keyboard.type("file:AG");
    await choose(page, /AGENTS\.md/);
    await type(page, "here");
    await page.keyboard.press("Control+s");
    await until(async () => (await service.get("main")) === "[if file:AGENTS.md]\nhere\n[endif]", "the branch is not saved");
    await service.put("main", TEMPLATE);
  }));

test("search finds by value, and Enter inserts what is found", () =>
  on(async (page) => {
    await searchFor(page, "hostna");
    await page.waitForFunction(inText);
    await shows(text(page), "[system:hostname]");
  }));

test("search finds files that are likely and there", () =>
  on(async (page) => {
    await text(page).focus();
    await page.keyboard.press("Control+Home");
    await searchFor(page, "agents");
    await page.waitForFunction(inText);
    await shows(text(page), "[file:AGENTS.md]é In");
  }));

test("on a slow machine, Enter right behind the words inserts what they find", () =>
  on(async (page) => {
    await slowDown(page, 8);
    await searchFor(page, "hostna");
    await page.waitForFunction(inText);
    await shows(text(page), "[system:hostname]");
  }));

/** Opens the page while one address has no response yet; `respond` sends it. */
async function without(address: string): Promise<{ page: Page; respond: () => void }> {
  const page = await newPage(await newContext(browser));
  let respond = () => {};
  const held = new Promise<void>((done) => (respond = done));
  await page.route(address, async (route) => {
    await held;
    await route.continue().catch(() => {});
  });
  await page.goto(service.page);
  return { page, respond };
}

test("Enter counts that comes before the list of variables is here", async () => {
  const { page, respond } = await without("**/system-prompt/variables*");
  await searchFor(page, "hostna");
  await shows(page.locator(".palette-list"), "Loading…");
  respond();
  await page.waitForFunction(inText);
  await shows(text(page), "[system:hostname]é In");
  await page.context().close();
});

test("Enter that came before the list is given up where one writes on", async () => {
  const { page, respond } = await without("**/system-prompt/variables*");
  await settled(page);
  await searchFor(page, "host");
  await page.keyboard.insertText("na");
  respond();
  await page.locator(".palette .row-main", { hasText: "hostname" }).waitFor();
  assert.ok(!(await page.evaluate(inText)), "the search keeps the focus");
  assert.doesNotMatch(await text(page).innerText(), /hostname/);
  await page.context().close();
});

test("what is inserted before the text is here goes into it", async () => {
  const { page, respond } = await without("**/templates/main");
  await page.locator(".palette .row-main", { hasText: "branch" }).first().click();
  respond();
  await page.waitForFunction(inText);
  await shows(text(page), "[git:branch]é In");
  await page.context().close();
});

test("a diagnostic leads to its place, and its fix removes it", () =>
  on(async (page) => {
    await text(page).focus();
    await page.keyboard.press("Control+End");
    await type(page, "[system:tim]");
    await page.getByRole("button", { name: /Warning.*system:tim/ }).click();
    assert.equal(await selected(page), "[system:tim]");
    await page.keyboard.press("Control+.");
    await settled(page);
    await shows(text(page), "[system:time]");
    assert.equal(await page.getByRole("button", { name: /Warning.*system:tim/ }).count(), 0);
  }));

test("the strip shows how much can be cached", () =>
  on(async (page) => {
    await shows(page.getByRole("status", { name: "Size of the prompt" }), /tokens/);
    await shows(page.locator(".strip-verdict"), /Too short to cache alone: 4,096 tokens are the least/);
    await page.getByRole("textbox", { name: "Model" }).fill("m-1");
    await settled(page);
    await shows(page.locator(".strip-count"), /^about\s+\d+ tokens/);
    await page.getByRole("textbox", { name: "Model" }).fill("gpt-5");
    await shows(page.locator(".strip-count"), /^\d+ tokens\s+by o200k, /);
    await shows(page.locator(".strip-verdict"), /Too short to cache alone: 1,024 tokens are the least/);
    await shows(page.getByRole("status", { name: "Size of the prompt" }), /^\d+ tokens\./);
  }));

test("on a phone the panes are tabs, and inserting goes to the text", () =>
  on(
    async (page) => {
      await page.getByRole("tab", { name: "Variables" }).click();
      await page.locator(".palette .row-main", { hasText: "branch" }).first().click();
      await page.waitForFunction(inText);
      await shows(text(page), "[git:branch]");
      await page.getByRole("tab", { name: "Preview" }).click();
      await preview(page).locator(".value").first().click();
      await page.waitForFunction(inText);
    },
    { width: 390, height: 844 },
  ));

test("on paper the preview is a document with its parts", () =>
  on(async (page) => {
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    await page.emulateMedia({ media: "print" });
    const paper = page.locator(".paper");
    await shows(paper, "System prompt: main");
    await shows(paper, `Again ${service.root} at`);
    assert.equal(await page.locator(".top").isVisible(), false);
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    await paper.waitFor({ state: "detached" });
  }));

test("a value right behind a dead tag of the same key leads to its own tag", async () => {
  await service.put("beside", "[if file:gone.md][prompt:cwd][endif][prompt:cwd]");
  const page = await openPage(browser, `${service.page}/#/edit/beside`);
  await preview(page).locator(".value").click();
  await page.waitForFunction(inText);
  await shows(page.locator(".caret"), "1:49");
  assert.equal(await selected(page), "[prompt:cwd]");
  await page.context().close();
});

const RULES = Array.from({ length: 12 }, (_, at) => `Rule ${at}: be brief, and then be briefer.\n`).join("");

/** Opens a template with a long file between values of one line. */
async function bracketed(name: string, options = {}) {
  await write(service.root, "rules.md", RULES);
  await service.put(name, "In [prompt:cwd].\n[file:rules.md]\nAt [system:time], [system:os].\n[file:gone.md]");
  const page = await openPage(browser, `${service.page}/#/edit/${name}`, options);
  const row = page.locator(".preview .origin-row button");
  await row.waitFor();
  return { page, row };
}

test("a bracket in the margin has name, size, tokens and stability of what came from one file or variable", async () => {
  const { page, row } = await bracketed("brackets");
  await shows(row, new RegExp(`file:rules\\.md\\s+${RULES.length} B, about \\d+ tokens\\s+fixed for a conversation`));
  const marks = await page.locator(".preview .origin-mark").evaluateAll((all) =>
    (all as HTMLElement[]).filter((one) => one.title !== "").map(({ className, title }) => [className.replace("origin-mark ", ""), title]),
  );
  assert.deepEqual(marks[0], ["lasts-conversation whole", `prompt:cwd: ${service.root.length} B, about ${Math.round(service.root.length / 4)} tokens, fixed for a conversation`]);
  assert.deepEqual(marks.slice(1, -1).map(([look]) => look), [...Array(11).fill("lasts-conversation middle"), "lasts-conversation end"]);
  const [look, title] = marks.at(-1)!;
  assert.equal(look, "lasts-turn whole", "the bracket of a line has the look of what changes most");
  assert.match(title!, /^system:time: .*changes with every build\nsystem:os: 5 B, about 1 token, always the same$/);
  const legend = await page.locator(".strip-key li").evaluateAll((all) =>
    all.map((one) => [one.textContent!.replace(/\s*<?\s*\d+ %/, "").trim(), getComputedStyle(one, "::before").borderLeftStyle]),
  );
  assert.deepEqual(legend, [["always the same", "solid"], ["fixed for a conversation", "dashed"], ["changes with every build", "double"]]);
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});

test("a long value is folded by click and by keyboard, stays folded while one types, and is copied whole", async () => {
  const { page, row } = await bracketed("folds");
  await row.click();
  const folded = page.locator(".preview .folded");
  await shows(folded, "12 lines");
  assert.equal(await row.getAttribute("aria-expanded"), "false");
  assert.ok(await row.evaluate((button) => button === document.activeElement), "the button keeps the focus");
  await text(page).focus();
  await page.keyboard.press("Control+Home");
  await type(page, "First. ");
  await shows(preview(page), "First. In");
  await shows(folded, "12 lines");
  await preview(page).focus();
  await page.keyboard.press("Control+a");
  const copied = await preview(page).evaluate((content) => {
    const event = new ClipboardEvent("copy", { clipboardData: new DataTransfer(), bubbles: true, cancelable: true });
    content.dispatchEvent(event);
    return event.clipboardData!.getData("text/plain");
  });
  assert.ok(copied.includes(RULES), "what is folded is copied");
  for (let steps = 0; steps < 2; steps++) await page.keyboard.press("ArrowDown");
  await shows(page.locator(".preview .card-inside"), "file:rules.md");
  await page.keyboard.press("Space");
  await folded.waitFor({ state: "detached" });
  await page.keyboard.press("Space");
  await folded.waitFor();
  await folded.click();
  await folded.waitFor({ state: "detached" });
  await row.press("Enter");
  await folded.waitFor();
  await page.locator(".preview .origin-mark.end").click();
  await folded.waitFor({ state: "detached" });
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});

test("the mark of a missing value is reached by keyboard and leads to its tag", async () => {
  const { page } = await bracketed("ghost");
  await page.getByRole("button", { name: "file:gone.md" }).last().press("Enter");
  await page.waitForFunction(inText);
  assert.equal(await selected(page), "[file:gone.md]");
  await page.context().close();
});

for (const options of [{ colorScheme: "light" }, { colorScheme: "dark" }, { forcedColors: "active" }, { viewport: { width: 390, height: 844 } }] as const) {
  test(`brackets are seen, and axe finds nothing: ${JSON.stringify(options)}`, async () => {
    await write(service.root, "rules.md", RULES);
    await service.put("axe", "In [prompt:cwd].\n[file:rules.md]\nAt [system:time], [system:os].\n[file:gone.md]");
    const page = await openPage(browser, `${service.page}/#/edit/axe`, options);
    if ("viewport" in options) await page.getByRole("tab", { name: "Preview" }).click();
    const row = page.locator(".preview .origin-row button");
    await row.waitFor();
    const styles = await page.locator(".preview .origin-mark.whole").evaluateAll((all) => all.map((one) => getComputedStyle(one).borderLeftStyle));
    assert.deepEqual(styles, ["dashed", "double"], "not the color alone");
    const wide = await page.locator(".preview .cm-scroller").evaluate((box) => box.scrollWidth - box.clientWidth);
    assert.equal(wide, 0, "nothing is wider than the preview");
    await clean(page, "unfolded");
    await row.click();
    await page.locator(".preview .folded").waitFor();
    await clean(page, "folded");
    assert.deepEqual(page.troubles, []);
    await page.context().close();
  });
}
