// What is coloured as what: the same as the service's tokens, on every input of the template language's own tests and on the rows
// of its table.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import type { Analysis } from "../src/api/types";
import { openPage, settled, startBrowser, text, type Watched } from "./browser";
import { startService, type Service } from "./service";

const INPUTS = path.join(process.cwd(), "../crates/core/tests/template/inputs");

/** Rows that are not among the inputs, or are worth another look: places in UTF-16, line ends, raw blocks, depth. */
const MORE: Record<string, string> = {
  "astral-before-a-tag": "😀 é [prompt:cwd] 𝔘[if file:AGENTS.md]😀[endif]",
  "tags-on-many-lines": "[if\nprompt:cwd\n]a[\nendif\n]",
  "three-endifs": "[if a:x]x[endif][endif][endif]",
  "nested-and-dead": "[if a:n]out[if prompt:cwd]in [system:os][else]other[endif][else][system:date][endif]",
  "an-else-of-nothing": "[else][if a:n]A[ else ]B",
  "names-with-everything": "[file:a b:c[d][x:][if !x:y z]n[endif]",
  "blanks-of-ecmascript": "[\u00a0prompt:cwd\ufeff][\u2003else][if\u3000prompt:cwd]y[endif]",
  "carriage-returns": "[prompt:cwd]\r\n[if prompt:cwd]\r\nx\r\n[endif]\r\n",
  "brackets-only": "[[[[]]]][ ][x][]",
  "raw-strays": "[endraw][raw][prompt:cwd][endraw][raw]",
};

let service: Service;
let browser: Browser;
let page: Watched;

before(async () => {
  service = await startService();
  browser = await startBrowser();
  page = await openPage(browser, service.page);
});
after(async () => {
  await browser?.close();
  await service?.end();
});

async function templates(): Promise<[name: string, template: string][]> {
  const files = (await readdir(INPUTS)).filter((file) => file.endsWith(".txt")).sort();
  assert.ok(files.length >= 38, "the language has at least the inputs that it had when this was written");
  const inputs = files.map(async (file): Promise<[string, string]> => {
    const parts = (await readFile(path.join(INPUTS, file), "utf8")).split("\n---\n");
    return [file.replace(/\.txt$/, ""), parts[1]!];
  });
  return [...(await Promise.all(inputs)), ...Object.entries(MORE)];
}

/** The kind of each character of each line, as the service has it. Plain text is a blank. */
function expected(template: string, { tokens }: Analysis): string[] {
  const kinds = Array.from({ length: template.length }, () => "");
  for (const { kind, utf16 } of tokens) {
    if (kind !== "text") kinds.fill(kind, utf16[0], utf16[1]);
  }
  let at = 0;
  return template.split("\n").map((line) => {
    const row = kinds.slice(at, at + line.length);
    at += line.length + 1;
    return runs([...line].length === 0 ? [] : row);
  });
}

const runs = (kinds: string[]): string => {
  const out: string[] = [];
  let from = 0;
  for (let at = 1; at <= kinds.length; at++) {
    if (at < kinds.length && kinds[at] === kinds[from]) continue;
    out.push(`${kinds[from] || "text"}×${at - from}`);
    from = at;
  }
  return out.join(" ");
};

/** The same as the page draws it. Characters that cannot be seen are drawn as one mark each. */
const drawn = (where: Page): Promise<string[]> =>
  where.evaluate(() => {
    const lines = [...document.querySelectorAll(".text-field .cm-line")];
    return lines.map((line) => {
      const kinds: string[] = [];
      const walk = (node: Node, kind: string) => {
        if (node instanceof HTMLElement) {
          const named = /\btag-([a-z-]+)/.exec(node.className)?.[1] ?? kind;
          if (node.classList.contains("cm-specialChar")) return void kinds.push(named);
          if (node.classList.contains("cm-widgetBuffer") || node.tagName === "IMG" || node.tagName === "BR") return;
          for (const child of node.childNodes) walk(child, named);
        } else for (let at = 0; at < (node.textContent ?? "").length; at++) kinds.push(kind);
      };
      walk(line, "");
      const out: string[] = [];
      let from = 0;
      for (let at = 1; at <= kinds.length; at++) {
        if (at < kinds.length && kinds[at] === kinds[from]) continue;
        out.push(`${kinds[from] || "text"}×${at - from}`);
        from = at;
      }
      return kinds.length === 0 ? "" : out.join(" ");
    });
  });

test("every input is coloured as the service reads it", async (context) => {
  for (const [place, [name, template]] of (await templates()).entries()) {
    await context.test(name, async () => {
      const at = `case-${place}`;
      await service.put(at, template);
      const want = expected(template, (await service.analyze(template)) as Analysis);
      await page.goto(`${service.page}/#/edit/${at}`);
      await page.getByRole("button", { name: `Template: ${at}`, exact: true }).waitFor();
      await settled(page);
      assert.deepEqual(await drawn(page), want, JSON.stringify(template));
    });
  }
  assert.deepEqual(page.troubles, []);
});

test("colours move with the text while the analysis is under way", async () => {
  const template = "[prompt:cwd] and [if prompt:cwd]x[endif]\n[note: a]\n";
  await service.put("waiting", template);
  await page.goto(`${service.page}/#/edit/waiting`);
  await page.getByRole("button", { name: "Template: waiting" }).waitFor();
  await settled(page);
  let hold = true;
  await page.context().route("**/system-prompt/analyze", async (route) => {
    while (hold) await new Promise((done) => setTimeout(done, 20));
    await route.continue().catch(() => {});
  });
  await text(page).focus();
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("ab ");
  await page.keyboard.press("Control+End");
  await page.keyboard.type("[git:branch] ");
  const now = await drawn(page);
  hold = false;
  await page.context().unroute("**/system-prompt/analyze");
  assert.deepEqual(now, [
    "text×3 variable×12 text×5 if×15 text×1 endif×7",
    "variable×9",
    "variable×12 text×1",
  ]);
  await settled(page);
  assert.deepEqual(await drawn(page), now, "the service reads it the same");
});

test("text in a branch that is not taken is dimmed", async () => {
  await service.put("branches", "[if file:gone.md]dead[else]live[endif]");
  await page.goto(`${service.page}/#/edit/branches`);
  await page.getByRole("button", { name: "Template: branches" }).waitFor();
  await settled(page);
  assert.equal(await page.locator(".text-field .cm-line .dead").innerText(), "dead");
  assert.equal(await page.locator(".text-field .taken.no").count(), 1, "the gutter shows a condition that does not hold");
});
