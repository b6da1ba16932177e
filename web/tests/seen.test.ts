// What is shown can be seen: missing values, outdated previews, matches in tags, focus, forced colors, right-to-left lines.
import AxeBuilder from "@axe-core/playwright";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { newContext, newPage, openPage, preview, saveState, settled, shows, startBrowser, text, type, type Watched } from "./browser";
import { clean, done, openScreen, send } from "./screens";
import { startService, until, type Service } from "./service";

let service: Service;
let browser: Browser;

before(async () => {
  service = await startService();
  browser = await startBrowser();
  await service.put("main", "file here, [file:AGENTS.md]and [if file:gone.md]a file[endif] at [system:time] on [git:branch] by [system:os].\n");
  await service.put("missing", "Follow [file:NOPE.md] always.[if file:NOPE.md][file:NOPE.md][endif]\n[file:GONE.md]");
  await service.put("arabic", "English first.\nمرحبا بالعالم.\nשלום עולם.\n");
});
after(async () => {
  await browser?.close();
  await service?.end();
});

async function on(name: string, act: (page: Watched) => Promise<void>, options = {}): Promise<void> {
  const page = await openPage(browser, `${service.page}/#/edit/${name}`, options);
  await act(page);
  assert.deepEqual(page.troubles, []);
  await page.context().close();
}

const style = (page: Page, selector: string, property: string): Promise<string> =>
  page.locator(selector).first().evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property);

test("a value that is missing leaves a mark in the preview, which is no part of the prompt", () =>
  on("missing", async (page) => {
    const marks = page.locator(".preview .missing");
    await shows(preview(page), /Follow ∅ file:NOPE\.md always\./);
    assert.deepEqual(await marks.allTextContents(), ["∅ file:NOPE.md", "∅ file:GONE.md"], "a branch that is not taken has none");
    await page.locator(".preview .missing").nth(1).click();
    await shows(page.locator(".caret"), "2:15");
    assert.equal(await page.evaluate(() => getSelection()?.toString()), "[file:GONE.md]");
    await clean(page, "missing");
  }));

test("a refused directory shows that the preview is not of it", () =>
  on("main", async (page) => {
    assert.equal(await style(page, ".preview-text", "filter"), "none");
    await page.getByLabel("Directory").fill("/etc");
    await page.locator(".preview .trouble").waitFor();
    await page.locator(".preview.stale").waitFor();
    assert.equal(await style(page, ".preview-text", "filter"), "grayscale(1)");
    assert.equal(await style(page, ".strip", "filter"), "grayscale(1)");
    await page.getByLabel("Directory").fill(service.root);
    await page.locator(".preview.stale").waitFor({ state: "detached" });
  }));

test("a match inside of a tag is seen, and matches are counted", () =>
  on("main", async (page) => {
    await text(page).focus();
    await page.keyboard.press("Control+f");
    await page.locator(".cm-search input[name=search]").focus();
    await page.keyboard.type("file");
    await shows(page.locator(".search-count"), "4 matches");
    await page.keyboard.press("Enter");
    await shows(page.locator(".search-count"), /\d of 4/);
    // What is painted at the top of each match: the match itself, or something in it without a background.
    const painted = await page.locator(".cm-searchMatch").evaluateAll((matches) =>
      matches.map((match) => {
        const inner = [...match.querySelectorAll("*")].map((one) => getComputedStyle(one).backgroundColor);
        return [getComputedStyle(match).backgroundColor, ...inner];
      }),
    );
    assert.equal(painted.length >= 4, true);
    for (const [match, ...inner] of painted) {
      assert.notEqual(match, "rgba(0, 0, 0, 0)");
      assert.deepEqual(inner.filter((colour) => colour !== "rgba(0, 0, 0, 0)"), []);
    }
    await clean(page, "search");
  }));

test("the panes of a comparison show their focus", async () => {
  await service.put("main", `${await service.get("main")}more\n`);
  const page = await openScreen(browser, service, "#/versions/main");
  await page.locator(".cm-merge-b .cm-content").waitFor();
  for (const side of ["a", "b"]) {
    await page.getByLabel("Compare with").focus();
    while (!(await page.evaluate((name) => document.activeElement?.closest(`.cm-merge-${name}`) != null, side))) await page.keyboard.press("Tab");
    const ring = await page
      .locator(`.cm-merge-${side}`)
      .evaluate((pane) => getComputedStyle(pane.matches(".cm-editor") ? pane : pane.querySelector(".cm-editor")!, "::after").outlineStyle);
    assert.equal(ring, "solid", `side ${side}`);
  }
  await done(page);
});

test("forced colors keep what colors mean", () =>
  on(
    "main",
    async (page) => {
      const lines = [".preview .lasts-static", ".preview .lasts-conversation", ".preview .lasts-turn"];
      const styles = await Promise.all(lines.map((line) => style(page, line, "text-decoration-style")));
      assert.deepEqual(styles, ["solid", "dashed", "double"]);
      const fills = await Promise.all(["", ".conversation", ".turn"].map((kind) => style(page, `.swatch${kind}`, "background")));
      assert.equal(new Set(fills).size, 3, fills.join("\n"));
      assert.equal(await style(page, '.nav a[aria-current="page"]', "outline-style"), "solid");
      await page.keyboard.press("F6");
      await text(page).focus();
      await page.keyboard.press("Control+End");
      await type(page, "[if prompt:cwd]x[endif]");
      const [yes, no] = await Promise.all([style(page, ".text-field .taken.yes", "background-color"), style(page, ".text-field .taken.no", "background-color")]);
      assert.notEqual(yes, no);
    },
    { forcedColors: "active" },
  ));

test("F8 announces the finding, and the number of findings is announced", () =>
  on("main", async (page) => {
    await text(page).focus();
    await page.keyboard.press("Control+End");
    await type(page, "[system:tim]");
    await shows(page.getByRole("status", { name: "Number of diagnostics" }), /3 diagnostics\./);
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("F8");
    await page.keyboard.press("F8");
    await page.waitForFunction(() => /Line \d+\. (Warning|Info|Error): .*/.test(document.querySelector(".text-field .cm-announced")?.textContent ?? ""));
  }));

test("a line of right-to-left text has its own direction, in the text and in the preview", () =>
  on("arabic", async (page) => {
    for (const place of [".text-field", ".preview-text"]) {
      const directions = await page.locator(`${place} .cm-line`).evaluateAll((lines) => lines.slice(0, 3).map((line) => getComputedStyle(line).direction));
      assert.deepEqual(directions, ["ltr", "rtl", "rtl"], place);
    }
  }));

test("screens open when the service has gone away since", async () => {
  const own = await startService();
  const page = await newPage(await newContext(browser));
  await page.goto(own.page);
  await settled(page);
  const screens = () =>
    page.evaluate(() => {
      const names = performance.getEntriesByType("resource").map(({ name }) => name);
      return names.filter((name) => /\/(health|versions|conversations)-[^/]*\.js$/.test(name));
    });
  await until(async () => (await screens()).length >= 3, "the code of the screens is not fetched");
  // What a screen imports is fetched after it.
  await page.evaluate((urls) => Promise.all(urls.map((url) => import(url))), await screens());
  await own.stop();
  await page.getByRole("link", { name: "Status" }).click();
  await page.locator(".screen h1, .screen h2").first().waitFor();
  assert.equal(await page.getByText("This screen could not be loaded.").count(), 0);
  await page.context().close();
  await own.end();
});

test("what scrolls can be reached by keyboard, and targets are large enough", async () => {
  const page = await openPage(browser, service.page, { viewport: { width: 390, height: 500 } });
  await page.keyboard.press("F1");
  await page.getByRole("dialog").waitFor();
  await clean(page, "keys on a phone");
  await page.context().close();
  await on("main", async (wide) => {
    const { violations } = await new AxeBuilder({ page: wide }).withRules(["target-size"]).analyze();
    assert.deepEqual(violations.flatMap(({ nodes }) => nodes.map(({ html }) => html)), []);
  });
  await service.put("long", `[file:AGENTS.md]`);
  await on("long", async (wide) => {
    await wide.locator(".preview .value").first().hover();
    await wide.locator(".about-value").waitFor();
    await clean(wide, "card");
  });
});

test("the example of the first conversation works as it stands", async () => {
  const own = await startService();
  const page = await openScreen(browser, own, "#/conversations");
  const example = page.locator(".example");
  await shows(example, own.root);
  await clean(page, "no conversations");
  const words = await example.innerText();
  const body = /-d '(.*)'/.exec(words)![1]!;
  await send(own, "POST", "/conversations/c-1/turns", JSON.parse(body));
  await page.getByRole("button", { name: "Copy command" }).click();
  await shows(page.getByRole("status", { name: "Messages" }), "Command copied");
  await done(page);
  await own.end();
});

test("33: half a character is a finding with its place, and does not stop the preview", () =>
  on("missing", async (page) => {
    await text(page).focus();
    await page.keyboard.press("Control+Home");
    await page.evaluate(() => document.execCommand("insertText", false, "ab\ud83d "));
    await settled(page);
    await shows(preview(page), "Follow");
    const finding = page.getByRole("button", { name: /Error.*1:3.*Half of a character \(U\+D83D\) cannot be stored/ });
    await finding.waitFor();
    await page.keyboard.press("Control+s");
    await shows(saveState(page), "line 1, column 3");
    await page.getByRole("button", { name: "Fix" }).first().click();
    await settled(page);
    await finding.waitFor({ state: "detached" });
    await page.keyboard.press("Control+s");
    await shows(saveState(page), /Saved as version/);
  }));

test("nothing of a conversation is drawn over something else in a low window", async () => {
  await send(service, "POST", "/conversations/low/turns", {});
  const page = await openScreen(browser, service, "#/conversations/low", { viewport: { width: 390, height: 430 } });
  const bottom = (selector: string) => page.locator(selector).first().evaluate((element) => element.getBoundingClientRect().bottom);
  await page.locator(".about-prompt").waitFor();
  const top = await page.locator(".about-prompt").evaluate((element) => element.getBoundingClientRect().top);
  assert.ok((await bottom(".actions")) <= top, "the buttons end above the table");
  await clean(page, "low");
  await done(page);
});

test("the end of a directory is in sight, and a fix is named", () =>
  on("main", async (page) => {
    const field = page.getByLabel("Directory");
    const [scrolled, hidden] = await field.evaluate((box: HTMLInputElement) => [box.scrollLeft, box.scrollWidth - box.clientWidth]);
    assert.ok(scrolled! >= hidden! - 1, `${scrolled} of ${hidden}`);
    await text(page).focus();
    await page.keyboard.press("Control+End");
    await type(page, "[system:tim]");
    await page.getByRole("button", { name: "Fix: replace with time" }).waitFor();
  }, { viewport: { width: 1024, height: 768 } }));
