// A browser, and what people do on the edit screen.
import { chromium, type Browser, type BrowserContextOptions, type Locator, type Page } from "playwright-core";
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

/** A page that remembers what went wrong in it. */
export interface Watched extends Page {
  troubles: string[];
}

export async function openPage(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const page = Object.assign(await context.newPage(), { troubles: [] as string[] });
  page.on("pageerror", (error) => page.troubles.push(error.message));
  page.on("console", (message) => {
    // A refused save is part of what is tried here.
    if (message.type() === "error" && !/status of (412|503|502|403|404)/.test(message.text())) page.troubles.push(message.text());
  });
  page.on("dialog", (dialog) => {
    if (dialog.type() !== "beforeunload") page.troubles.push(`a dialog: ${dialog.message()}`);
    void dialog.accept();
  });
  await page.goto(url);
  await settled(page);
  return page;
}

export const text = (page: Page): Locator => page.getByRole("textbox", { name: "Template" });
export const preview = (page: Page): Locator => page.locator(".preview .cm-content");
export const saveState = (page: Page): Locator => page.getByRole("status", { name: "Saving" });

/** Waits until what is shown is about the text as it is. */
export async function settled(page: Page): Promise<void> {
  await page.locator(".text-field .cm-content").waitFor();
  await page.waitForFunction(() => document.querySelector(".preview-text") && !document.querySelector(".preview-text.behind"));
}

/** Writes with the keyboard, as a person would, and waits for the preview. */
export async function type(page: Page, words: string): Promise<void> {
  await page.keyboard.type(words);
  await settled(page);
}

/** Accepts a completion. It is not accepted in the blink in which it appears, so that nobody takes one by accident. */
export async function choose(page: Page, name: RegExp): Promise<void> {
  await page.getByRole("option", { name }).first().waitFor();
  await page.waitForTimeout(120);
  await page.keyboard.press("Enter");
}

export async function shows(locator: Locator, words: string | RegExp): Promise<void> {
  const has = (text: string) => (typeof words === "string" ? text.includes(words) : words.test(text));
  let last = "";
  await until(
    async () => {
      last = (await locator.innerText()).replace(/\u200b/g, "");
      return has(last);
    },
    `${String(words)} is not shown`,
    5000,
  ).catch((error: Error) => {
    throw new Error(`${error.message}; this is: ${last.slice(0, 1500)}`);
  });
}
