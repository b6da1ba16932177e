// Two people write into one template for some time, each in a browser of its own, while connections drop, nodes change, pages are reloaded and
// tabs crash. Every word is a mark that exists once: at the end each mark must be in a version or in a draft.
// `cargo xtask nodes two-people` starts the nodes: two-people.mjs SECONDS SEED HOST:PORT …
import { chromium } from "playwright-core";
import { mkdtemp, rm } from "node:fs/promises";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { buildPage } from "./build.mjs";
import { serve } from "./dev.mjs";

const [seconds, seed, ...nodes] = process.argv.slice(2);
const NAME = "two-people";
let end = 0;
const counts = {};
const count = (what) => (counts[what] = (counts[what] ?? 0) + 1);
const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

/** Numbers that are the same for the same seed. */
function dice(from) {
  let state = from | 0;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** An address in front of the nodes and their pages: it leads to one of them, to another, or nowhere. */
async function switchboard(first) {
  const open = new Set();
  let target = first;
  const server = net.createServer((socket) => {
    if (target < 0) return void socket.destroy();
    const onward = net.connect(Number(new URL(fronts[target].url).port), "127.0.0.1");
    for (const [one, other] of [[socket, onward], [onward, socket]]) {
      open.add(one);
      one.on("error", () => other.destroy()).on("close", () => (open.delete(one), other.destroy()));
      one.pipe(other);
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    lead: (to) => {
      target = to;
      for (const socket of open) socket.destroy();
    },
    close: () => server.close(),
  };
}

class Person {
  /** The words whose keys were pressed in the text. */
  words = [];
  /** The words within which a dialog opened. */
  cut = [];

  constructor(name, browser, board, roll) {
    Object.assign(this, { name, board, roll, browser, node: 0, back: 0 });
  }

  async begin() {
    this.context = await this.browser.newContext({ viewport: { width: 1200, height: 800 } });
    this.context.setDefaultTimeout(20_000);
    await this.open();
  }

  async open() {
    this.page = await this.context.newPage();
    this.page.on("dialog", (dialog) => void dialog.accept().catch(() => {}));
    await this.load(() => this.page.goto(`${this.board.url}/#/edit/${NAME}`));
  }

  /** Loads the page; while the connection is down that takes several attempts. */
  async load(act) {
    for (let tries = 0; ; tries++) {
      this.reconnect();
      const loaded = await act().then(() => this.page.locator(".text-field .cm-content").waitFor({ timeout: 10_000 })).then(() => true, () => false);
      if (loaded) return;
      if (tries > 5) throw new Error(`${this.name}: the page does not load`);
      act = () => this.page.goto(`${this.board.url}/#/edit/${NAME}`);
    }
  }

  reconnect() {
    if (this.back === 0) return;
    this.back = 0;
    this.board.lead(this.node);
  }

  conflict = () => this.page.getByRole("dialog", { name: "Save conflict" });

  /** Ends a conflict; false if there is none, or it has time. */
  async resolve(always = false) {
    const dialog = this.conflict();
    if ((await dialog.count()) === 0) {
      const button = this.page.getByRole("button", { name: "Resolve…" });
      if ((!always && this.roll(4) > 0) || (await button.count()) === 0) return false;
      // A save or another look at the store may end the conflict meanwhile.
      await button.click({ timeout: 1000 }).catch(() => {});
      if (!(await dialog.waitFor({ timeout: 5000 }).then(() => true, () => false))) return false;
    }
    count("conflicts");
    if (!always && this.roll(4) === 0) await this.page.keyboard.press("Escape");
    else await dialog.getByRole("button", { name: /^Save (both|merged text)$/ }).click();
    await dialog.waitFor({ state: "detached", timeout: 5000 }).catch(() => {});
    return true;
  }

  async write() {
    const { page, roll } = this;
    const content = page.locator(".text .cm-content");
    await content.focus();
    const place = roll(10);
    if (place < 4) await page.keyboard.press("Control+End");
    else if (place < 6) await page.keyboard.press("Control+Home");
    else for (let steps = roll(12); steps > 0; steps--) await page.keyboard.press(roll(2) ? "ArrowUp" : "ArrowDown");
    await page.keyboard.press("End");
    // Most words get a line of their own; some are added to one that the other person may be changing, too.
    if (roll(8) > 0) await page.keyboard.press("Enter");
    else await page.keyboard.press("Space");
    for (let words = 1 + roll(3); words > 0; words--) {
      const word = `${this.name}${String(this.words.length).padStart(5, "0")}q`;
      await page.keyboard.type(`${word} `);
      const shown = await content.evaluate((element, wanted) => element.textContent.includes(wanted), word);
      this.words.push(word);
      // A dialog that opens by itself takes the keys.
      if (!shown && (await page.locator("dialog[open]").count()) > 0) this.cut.push(word);
      if (!shown) count("words that are not drawn");
    }
  }

  async act() {
    const { page, roll } = this;
    if (this.back !== 0 && Date.now() > this.back) this.reconnect();
    if (await this.resolve()) return;
    const what = roll(100);
    if (what < 70) return this.write();
    if (what < 86) return count("saves"), page.keyboard.press("Control+s");
    if (what < 91) {
      count("drops");
      this.board.lead(-1);
      this.back = Date.now() + 300 + roll(2700);
    } else if (what < 95) {
      count("changes of node");
      this.node = roll(nodes.length);
      this.board.lead(this.node);
      this.back = 0;
    } else if (what < 98) {
      count("reloads");
      await this.load(() => page.reload());
    } else {
      count("crashes");
      // A crash may take the last second.
      await pause(1000);
      const session = await this.context.newCDPSession(page);
      const gone = new Promise((done) => page.once("crash", done));
      void session.send("Page.crash").catch(() => {});
      await gone;
      await page.close();
      await this.open();
    }
  }

  async live() {
    while (Date.now() < end) {
      await this.act();
      await pause(this.roll(120));
    }
  }

  /** Saves until nothing is unsaved. */
  async finish() {
    this.back = 1;
    this.reconnect();
    for (let tries = 0; tries < 60; tries++) {
      if (await this.resolve(true)) continue;
      const state = await this.page.getByRole("status", { name: "Save status" }).innerText();
      if (/^(Saved as version|No changes|Already saved|Updated to version)/.test(state) && !/unsaved/.test(state)) return;
      await this.page.locator(".text .cm-content").focus();
      await this.page.keyboard.press("Control+s");
      await pause(300);
    }
    throw new Error(`${this.name}: the last text cannot be saved`);
  }

  drafts() {
    return this.page.evaluate(
      () =>
        new Promise((done, fail) => {
          const request = indexedDB.open("preface", 1);
          request.onerror = () => fail(request.error);
          request.onsuccess = () => {
            const rows = request.result.transaction("drafts").objectStore("drafts").getAll();
            rows.onsuccess = () => done(rows.result.map(({ text }) => text));
          };
        }),
    );
  }
}

async function versions() {
  const read = async (where) => (await fetch(`http://${nodes[0]}${where}`)).json();
  const texts = [];
  const newest = (await read(`/templates/${NAME}/versions?limit=1`)).items[0].version;
  for (let version = 1; version <= newest; version++) texts.push((await read(`/templates/${NAME}/versions/${version}`)).template);
  return texts;
}

const dist = await mkdtemp(path.join(os.tmpdir(), "preface-page-"));
await buildPage({ dist, quiet: true });
const fronts = await Promise.all(nodes.map((node) => serve({ service: `http://${node}`, dist })));
const args = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM_BIN ?? "/usr/bin/chromium", args });
const boards = await Promise.all([switchboard(0), switchboard(1 % nodes.length)]);
try {
  const roll = dice(Number(seed));
  const people = ["A", "B"].map((name, at) => new Person(name, browser, boards[at], dice(roll(1e9))));
  people[1].node = 1 % nodes.length;
  for (const person of people) await person.begin();
  end = Date.now() + Number(seconds) * 1000;
  await Promise.all(people.map((person) => person.live()));
  for (const person of people) await person.finish();
  const stored = await versions();
  const drafts = (await Promise.all(people.map((person) => person.drafts()))).flat();
  const words = people.flatMap((person) => person.words);
  const last = stored[stored.length - 1];
  const isIn = (texts) => {
    const found = new Set(texts.flatMap((text) => text.match(/[AB]\d{5}q/g) ?? []));
    return words.filter((word) => !found.has(word));
  };
  const lost = isIn([...stored, ...drafts]);
  const cut = people.flatMap((person) => person.cut);
  const acts = Object.entries(counts).map(([what, times]) => `${times} ${what}`);
  console.log(`seed ${seed}: ${words.length} words of two people, ${stored.length} versions, ${acts.join(", ")}; ${isIn([last]).length} words are not in the last version, ${cut.length} are cut by a dialog`);
  if (cut.length > 0) throw new Error(`${cut.length} of ${words.length} words were cut by a dialog: ${cut.slice(0, 20).join(" ")}`);
  if (lost.length > 0) throw new Error(`${lost.length} of ${words.length} words are in no version and no draft: ${lost.slice(0, 20).join(" ")}`);
} catch (error) {
  console.error(`seed ${seed}: ${error.stack}`);
  process.exitCode = 1;
} finally {
  await browser.close();
  for (const board of boards) {
    board.lead(-1);
    board.close();
  }
  for (const front of fronts) await front.close();
  await rm(dist, { recursive: true, force: true });
}
