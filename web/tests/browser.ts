// A browser, and what people do on the edit screen.
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Locator, type Page } from "playwright-core";
import { until } from "./service";

const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export const startBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: process.env.CHROMIUM_BIN ?? "/usr/bin/chromium", args: FLAGS });

/** How many times slower the page's processor is made: `PREFACE_SLOW=6` is a weak machine under load. */
const SLOW = Number(process.env.PREFACE_SLOW ?? 1);

/** How long anything may take to be there. Nothing waits this long for what may well not be there. */
const PATIENCE = 12_000 * Math.max(1, SLOW / 2);

export async function newContext(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  context.setDefaultTimeout(PATIENCE);
  return context;
}

export async function newPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  if (SLOW > 1) await slowDown(page, SLOW);
  return page;
}

export async function slowDown(page: Page, times: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: Math.max(times, SLOW) });
}

/** A page that remembers what went wrong in it. */
export interface Watched extends Page {
  troubles: string[];
}

export async function watchedPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Watched> {
  const page = Object.assign(await newPage(await newContext(browser, options)), { troubles: [] as string[] });
  page.on("pageerror", (error) => page.troubles.push(error.message));
  page.on("console", (message) => {
    // Refusals are a part of what is tried here.
    if (message.type() === "error" && !/status of (412|503|502|404|403|422)/.test(message.text())) page.troubles.push(message.text());
  });
  page.on("dialog", (dialog) => {
    if (dialog.type() !== "beforeunload") page.troubles.push(`a dialog: ${dialog.message()}`);
    void dialog.accept();
  });
  return page;
}

export async function openPage(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Watched> {
  const page = await watchedPage(browser, options);
  await page.goto(url);
  await settled(page);
  return page;
}

export const text = (page: Page): Locator => page.getByRole("textbox", { name: "Template" });
export const preview = (page: Page): Locator => page.locator(".preview .cm-content");
export const saveState = (page: Page): Locator => page.getByRole("status", { name: "Save status" });

/** Waits until what is shown is about the text as it is. */
export async function settled(page: Page): Promise<void> {
  await page.locator(".text-field .cm-content").waitFor();
  await page.waitForFunction(() => document.querySelector(".preview-text") && !document.querySelector(".preview-text.behind"));
}

/** Opens an address in a new tab, and waits for its preview. */
export async function openTab(context: BrowserContext, url: string): Promise<Page> {
  const page = await newPage(context);
  await page.goto(url);
  await settled(page);
  return page;
}

/** Adds words at the end of the text, in one step. */
export async function append(page: Page, words: string): Promise<void> {
  await text(page).focus();
  await page.keyboard.press("Control+End");
  await page.keyboard.insertText(words);
}

/** Opens the dialog of a save conflict. */
export async function resolving(page: Page): Promise<Locator> {
  await page.getByRole("button", { name: "Resolve…" }).click();
  const dialog = page.getByRole("dialog", { name: "Save conflict" });
  await dialog.waitFor();
  return dialog;
}

/** Ends the process of a tab, and its tab. */
export async function crash(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const gone = new Promise((done) => page.once("crash", done));
  void session.send("Page.crash").catch(() => {});
  await gone;
  await page.close();
}

/** Opens the list of unsaved texts. */
export async function listed(page: Page): Promise<Locator> {
  await page.getByRole("button", { name: /^Unsaved texts/ }).first().click();
  return page.getByRole("dialog", { name: "Unsaved texts" });
}

/** Writes with the keyboard, as a person would, and waits for the preview. */
export async function type(page: Page, words: string): Promise<void> {
  await page.keyboard.type(words);
  await settled(page);
}

/** Accepts a completion. The editor takes none in its first milliseconds, nor while it looks for better ones. */
export async function choose(page: Page, name: RegExp): Promise<void> {
  const list = page.locator(".cm-tooltip-autocomplete:not(.cm-tooltip-autocomplete-disabled)");
  await list.getByRole("option", { name, selected: true }).waitFor();
  await page.waitForTimeout(120);
  await page.keyboard.press("Enter");
}

/** Waits until the focus is on what is called so. */
export async function focused(page: Page, label: string): Promise<void> {
  await page.waitForFunction((wanted) => document.activeElement?.getAttribute("aria-label") === wanted, label);
}

/** The unsaved texts of a template that the browser has on disk. */
export async function draftsOf(page: Page, template: string): Promise<string[]> {
  const all = await page.evaluate(
    () =>
      new Promise<{ template: string; kind: string; text: string }[]>((done, fail) => {
        const request = indexedDB.open("preface", 1);
        request.onerror = () => fail(request.error);
        request.onsuccess = () => {
          const rows = request.result.transaction("drafts").objectStore("drafts").getAll();
          rows.onsuccess = () => (request.result.close(), done(rows.result));
        };
      }),
  );
  return all.filter((one) => one.template === template && one.kind === "draft").map((one) => one.text);
}

/** Waits until the browser has this as an unsaved text of a template; null for none. */
export async function drafted(page: Page, template: string, words: string | null): Promise<void> {
  const has = (texts: readonly string[]) => (words === null ? texts.length === 0 : texts.some((one) => one.includes(words)));
  await until(async () => has(await draftsOf(page, template)), `the draft of ${template} is not as expected`, PATIENCE);
}

/** Milliseconds here and now for what takes so many on an idle machine: a loop of a known length measures how slow it is. */
export async function paced(page: Page, milliseconds: number): Promise<number> {
  const took = await page.evaluate(() => {
    const start = performance.now();
    let sum = 0;
    for (let at = 0; at < 2e7; at++) sum = (sum + at * 31) % 1_000_003;
    return performance.now() - start + (sum < 0 ? 1 : 0);
  });
  return milliseconds * Math.max(1, took / IDLE);
}

/** What that loop takes on an idle machine. */
const IDLE = 100;

export async function shows(locator: Locator, words: string | RegExp): Promise<void> {
  const has = (text: string) => (typeof words === "string" ? text.includes(words) : words.test(text));
  let last = "";
  await until(
    async () => {
      last = (await locator.innerText()).replace(/\u200b/g, "");
      return has(last);
    },
    `${String(words)} is not shown`,
    PATIENCE,
  ).catch((error: Error) => {
    throw new Error(`${error.message}; this is: ${last.slice(0, 1500)}`);
  });
}
