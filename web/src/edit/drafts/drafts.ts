// Unsaved texts of this browser. Each tab writes its own drafts; the drafts of a tab that is gone are taken over by the next tab that opens their
// template. There is no limit of their number or size but the browser's.
import { signal } from "@preact/signals";
import { meta } from "../../api/meta";
import { keep, kept } from "../../keep";
import { Database } from "./database";
import { keyOf, parseDraft, type Draft, type DraftKind, type DraftRecord } from "./record";
import { Tab } from "./tab";

/** In localStorage: drafts of earlier versions of the page, and what a page wrote while it was closed. */
const LEFT = "preface-draft:";
/** A discarded draft can be restored for so long. */
const DISCARDED_FOR = 7 * 86_400_000;

/** An unsaved text in the list. */
export interface UnsavedText extends DraftRecord {
  where: "here" | "open tab" | "closed tab";
  bytes: number;
}

export class Drafts {
  /** Incremented when a draft was stored, discarded or removed. */
  readonly changes = signal(0);
  private readonly database = new Database();
  private readonly tab = new Tab();
  private readonly ready: Promise<void>;
  private id = "";
  /** What this tab has not saved, by template. */
  private readonly texts = new Map<string, Draft>();
  /** What is not on disk yet, and the writes in order. */
  private readonly waiting = new Map<string, { template: string; kind: DraftKind; draft: Draft | null }>();
  private last: Promise<unknown> = Promise.resolve();
  /** The time of the last draft. */
  private latest = 0;

  constructor() {
    this.ready = this.begin();
    addEventListener("pageshow", ({ persisted }) => persisted && this.returned());
  }

  /** Finds the draft of a template: this tab's own, or the newest of a closed tab. */
  async find(template: string): Promise<Draft | null> {
    await this.ready;
    // What is on its way to the disk belongs to what is found.
    await this.last;
    const all = (await this.all()).filter((one) => one.template === template && one.kind !== "discarded");
    for (const kind of ["draft", "aside"] as const) {
      const own = all.find((one) => one.tab === this.id && one.kind === kind);
      if (own) return own;
    }
    const open = await this.tab.open(all.map(({ tab }) => tab));
    const left = all.find(({ tab }) => !open.has(tab));
    if (left) await this.take(left);
    return left ?? null;
  }

  /** Returns what this tab has not saved of a template. */
  own(template: string): Draft | null {
    void this.changes.value;
    return this.texts.get(template) ?? null;
  }

  /** Stores a draft of this tab, or removes it; false if the browser cannot store it. */
  async keep(template: string, draft: Draft | null, kind: DraftKind = "draft"): Promise<boolean> {
    const name = `${kind}:${template}`;
    const entry = { template, kind, draft };
    this.waiting.set(name, entry);
    if (kind === "draft") {
      if (draft) this.texts.set(template, draft);
      else this.texts.delete(template);
    }
    const done = this.last.then(async () => {
      await this.ready;
      // A later change of the same draft is written instead.
      if (this.waiting.get(name) !== entry) return true;
      const key = keyOf(meta.store, this.id, kind, template);
      const written = await this.write(draft ? [this.record(template, draft, kind)] : [], draft ? [] : [key]);
      if (written && this.waiting.get(name) === entry) this.waiting.delete(name);
      return written;
    });
    this.last = done;
    return done;
  }

  /** Sets a text aside that was given up: it can be restored from the list of unsaved texts. */
  async discard(template: string, draft: Draft): Promise<void> {
    await this.ready;
    const record = { ...this.record(template, draft, "draft"), kind: "discarded" as const };
    await this.write([{ ...record, key: keyOf(meta.store, `${this.id}.${record.at}`, "discarded", template) }], []);
  }

  /** Returns all unsaved texts of this store, the newest first. */
  async list(): Promise<UnsavedText[]> {
    await this.ready;
    const all = await this.all();
    const open = await this.tab.open(all.map(({ tab }) => tab));
    const encoder = new TextEncoder();
    return all.map((one): UnsavedText => {
      const where = one.tab === this.id ? "here" : open.has(one.tab) ? "open tab" : "closed tab";
      return { ...one, where, bytes: encoder.encode(one.text).length };
    });
  }

  /** Discards an unsaved text of the list, or restores a discarded one as that of a closed tab; returns it. */
  async move(record: DraftRecord, kind: DraftRecord["kind"]): Promise<DraftRecord> {
    const { key, store, tab, template, text, etag, version, base } = record;
    const at = this.now();
    const next = { store, tab: `${tab}.${at}`, template, text, etag, version, base, kind, at };
    const moved = { ...next, key: keyOf(store, next.tab, kind, template) };
    if (!(await this.write([moved], [key]))) throw new Error("Browser storage is full: the text stays where it is.");
    return moved;
  }

  /** Deletes a text for good. */
  async remove(record: DraftRecord): Promise<void> {
    await this.write([], [record.key]);
  }

  private async begin(): Promise<void> {
    this.id = await this.tab.id;
    const left = this.left();
    if (left.length > 0) {
      const known = new Map((await this.database.all().catch(() => [])).map((one) => [one.key, one.at]));
      // A page that was closed may have been written to disk all the same.
      const moved = left.filter(({ record }) => record.at >= (known.get(record.key) ?? 0)).map(({ record }) => record);
      if (await this.write(moved, [])) for (const { name } of left) keep("local", name, null);
    }
    const all = await this.all();
    for (const one of all) {
      if (one.tab !== this.id || one.kind !== "draft") continue;
      this.latest = Math.max(this.latest, one.at);
      this.texts.set(one.template, one);
    }
    const old = all.filter(({ kind, at }) => kind === "discarded" && at < Date.now() - DISCARDED_FOR);
    if (old.length > 0) await this.write([], old.map(({ key }) => key));
  }

  /** The page is being closed: writes what is not on disk to where it takes effect at once. */
  leave(): void {
    for (const { template, kind, draft } of this.waiting.values()) {
      if (draft) keep("local", `${LEFT}${this.id}:${kind}:${template}`, JSON.stringify({ ...draft, store: meta.store, at: this.now() }));
    }
  }

  /** The page is shown again without having been loaded: it has its texts itself. */
  private returned(): void {
    for (const name of names()) if (name.startsWith(`${LEFT}${this.id}:`)) keep("local", name, null);
  }

  private left(): { name: string; record: DraftRecord }[] {
    return names().flatMap((name) => {
      const [, tab = "", kind = "", ...rest] = name.split(":");
      const draft = parseDraft(kept("local", name) ?? "");
      if (!draft || (kind !== "draft" && kind !== "aside")) return [];
      // That of another store at this address waits for a page of that store. Earlier versions of the page did not name it.
      if (draft.store !== null && draft.store !== meta.store) return [];
      const template = rest.join(":");
      return [{ name, record: { ...draft, key: keyOf(meta.store, tab, kind, template), store: meta.store, tab, kind, template } }];
    });
  }

  private record(template: string, { text, etag, version, base }: Draft, kind: DraftKind): DraftRecord {
    const key = keyOf(meta.store, this.id, kind, template);
    return { text, etag, version, base, key, store: meta.store, tab: this.id, kind, template, at: this.now() };
  }

  /** Returns the time; not an earlier one than before, if the clock was set back. */
  private now(): number {
    return (this.latest = Math.max(this.latest, Date.now()));
  }

  /** Moves the draft of a closed tab to this one. Its tab writes it again if it is open after all. */
  private async take(record: DraftRecord): Promise<void> {
    const taken = { ...record, tab: this.id, kind: "draft" as const, key: keyOf(meta.store, this.id, "draft", record.template) };
    await this.write([taken], [record.key]);
  }

  private async all(): Promise<DraftRecord[]> {
    const all = await this.database.all().catch(() => []);
    return all.filter(({ store }) => store === meta.store).sort((one, other) => other.at - one.at);
  }

  private async write(changed: readonly DraftRecord[], removed: readonly string[]): Promise<boolean> {
    try {
      await this.database.write(changed, removed);
    } catch {
      return changed.length === 0;
    }
    this.changes.value++;
    return true;
  }
}

function names(): string[] {
  try {
    return Object.keys(localStorage).filter((name) => name.startsWith(LEFT));
  } catch {
    return [];
  }
}
