// The versions of one template: the list as far as it was read, the texts that were looked at, and what can be done with them.
import { signal } from "@preact/signals";
import { ask } from "../api/client";
import { Problem, told } from "../api/problem";
import type { VersionInfo } from "../api/types";
import { before } from "./undo-hunks";

const PAGE = 100;
const MAIN = "main";

export type Phase = "loading" | "ready" | "missing" | "failed";

export class History {
  readonly items = signal<readonly VersionInfo[]>([]);
  readonly phase = signal<Phase>("loading");
  readonly trouble = signal("");
  readonly more = signal(false);
  private next: string | null = null;
  private reading: Promise<void> | null = null;
  private readonly texts = new Map<number, Promise<string>>();

  constructor(readonly name: string) {}

  /** The version that speaks now; 0 where none is stored. */
  get current(): number {
    return this.items.value[0]?.version ?? 0;
  }

  info(version: number): VersionInfo | undefined {
    return this.items.value.find((one) => one.version === version);
  }

  /** Reads the list from its start, as far as it was read before. */
  async load(): Promise<void> {
    const most = Math.max(PAGE, Math.min(500, this.items.peek().length));
    try {
      const { data } = await ask("get", "/templates/{name}/versions", { path: { name: this.name }, query: { limit: most } });
      this.items.value = data.items;
      this.next = data.next;
      this.more.value = data.next !== null;
      this.phase.value = "ready";
      this.trouble.value = "";
    } catch (error) {
      const missing = error instanceof Problem && (error.code === "no-template" || error.status === 400);
      this.trouble.value = told(error);
      if (this.phase.peek() !== "ready") this.phase.value = missing ? "missing" : "failed";
    }
  }

  /** Reads the next page; nothing where there is none, or while one is being read. */
  loadMore(): Promise<void> {
    if (this.next === null) return Promise.resolve();
    this.reading ??= this.page(this.next).finally(() => (this.reading = null));
    return this.reading;
  }

  /** Returns the text of a version; 0 is what stood there before the first one. */
  text(version: number): Promise<string> {
    let text = this.texts.get(version);
    if (!text) {
      text = this.read(version);
      text.catch(() => this.texts.delete(version));
      this.texts.set(version, text);
    }
    return text;
  }

  /** Stores a version that says what an older one says; returns its number. Refused where another is current than is shown. */
  async restore(version: number): Promise<number> {
    const path = { name: this.name };
    const now = await ask("get", "/templates/{name}", { path });
    if (now.version !== this.current) {
      await this.load();
      throw new Stale();
    }
    try {
      const made = await ask("post", "/templates/{name}/versions/{version}/restore", { path: { ...path, version }, ifMatch: now.etag });
      return made.version ?? 0;
    } catch (error) {
      if (error instanceof Problem && error.status === 412) throw new Stale();
      throw error;
    } finally {
      await this.load();
    }
  }

  /** Puts a label on a version, wherever it was before. */
  async setLabel(label: string, version: number): Promise<void> {
    await ask("put", "/templates/{name}/labels/{label}", { path: { name: this.name, label }, body: { version } });
    await this.load();
  }

  async removeLabel(label: string): Promise<void> {
    await ask("delete", "/templates/{name}/labels/{label}", { path: { name: this.name, label } });
    await this.load();
  }

  private async page(after: string): Promise<void> {
    try {
      const { data } = await ask("get", "/templates/{name}/versions", { path: { name: this.name }, query: { limit: PAGE, after } });
      const last = this.items.peek().at(-1)?.version ?? Infinity;
      this.items.value = [...this.items.peek(), ...data.items.filter(({ version }) => version < last)];
      this.next = data.next;
      this.more.value = data.next !== null;
    } catch (error) {
      this.trouble.value = told(error);
    }
  }

  private async read(version: number): Promise<string> {
    if (version > 0) {
      const { data } = await ask("get", "/templates/{name}/versions/{version}", { path: { name: this.name, version } });
      return data.template;
    }
    if (this.name !== MAIN) return "";
    // The service tells the default only by what a version changed in it.
    const first = this.items.peek().at(-1)?.version ?? 1;
    const { data } = await ask("get", "/templates/{name}/diff", { path: { name: this.name }, query: { from: 0, to: first } });
    return before(await this.text(first), data.hunks);
  }
}

/** Somebody else stored a version meanwhile. */
export class Stale extends Error {
  constructor() {
    super("somebody else stored a version meanwhile; the list shows it now");
  }
}
