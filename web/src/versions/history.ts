// The versions of one template: the loaded list, the loaded texts, and the actions on them.
import { signal } from "@preact/signals";
import { request } from "../api/client";
import { Problem, messageOf } from "../api/problem";
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

  /** The current version; 0 if none is stored. */
  get current(): number {
    return this.items.value[0]?.version ?? 0;
  }

  info(version: number): VersionInfo | undefined {
    return this.items.value.find((one) => one.version === version);
  }

  /** Reloads the entries that are already loaded. */
  async load(): Promise<void> {
    const most = Math.max(PAGE, Math.min(500, this.items.peek().length));
    try {
      const { data } = await request("get", "/templates/{name}/versions", { path: { name: this.name }, query: { limit: most } });
      this.items.value = data.items;
      this.next = data.next;
      this.more.value = data.next !== null;
      this.phase.value = "ready";
      this.trouble.value = "";
    } catch (error) {
      const missing = error instanceof Problem && (error.code === "no-template" || error.status === 400);
      this.trouble.value = messageOf(error);
      if (this.phase.peek() !== "ready") this.phase.value = missing ? "missing" : "failed";
    }
  }

  /** Loads the next page, if there is one and none is loading. */
  loadMore(): Promise<void> {
    if (this.next === null) return Promise.resolve();
    this.reading ??= this.page(this.next).finally(() => (this.reading = null));
    return this.reading;
  }

  /** Returns the text of a version; 0 is the text before the first version. */
  text(version: number): Promise<string> {
    let text = this.texts.get(version);
    if (!text) {
      text = this.read(version);
      text.catch(() => this.texts.delete(version));
      this.texts.set(version, text);
    }
    return text;
  }

  /** Stores the text of an older version as a new one; returns its number. Fails if the current version is not the one shown. */
  async restore(version: number): Promise<number> {
    const path = { name: this.name };
    const now = await request("get", "/templates/{name}", { path });
    if (now.version !== this.current) {
      await this.load();
      throw new Stale();
    }
    try {
      const made = await request("post", "/templates/{name}/versions/{version}/restore", { path: { ...path, version }, ifMatch: now.etag });
      return made.version ?? 0;
    } catch (error) {
      if (error instanceof Problem && error.status === 412) throw new Stale();
      throw error;
    } finally {
      await this.load();
    }
  }

  /** Sets a label on a version; it moves if another version has it. */
  async setLabel(label: string, version: number): Promise<void> {
    await request("put", "/templates/{name}/labels/{label}", { path: { name: this.name, label }, body: { version } });
    await this.load();
  }

  async removeLabel(label: string): Promise<void> {
    await request("delete", "/templates/{name}/labels/{label}", { path: { name: this.name, label } });
    await this.load();
  }

  private async page(after: string): Promise<void> {
    try {
      const { data } = await request("get", "/templates/{name}/versions", { path: { name: this.name }, query: { limit: PAGE, after } });
      const last = this.items.peek().at(-1)?.version ?? Infinity;
      this.items.value = [...this.items.peek(), ...data.items.filter(({ version }) => version < last)];
      this.next = data.next;
      this.more.value = data.next !== null;
    } catch (error) {
      this.trouble.value = messageOf(error);
    }
  }

  private async read(version: number): Promise<string> {
    if (version > 0) {
      const { data } = await request("get", "/templates/{name}/versions/{version}", { path: { name: this.name, version } });
      return data.template;
    }
    if (this.name !== MAIN) return "";
    // The service has no route for the default; it follows from the diff of the first version.
    const first = this.items.peek().at(-1)?.version ?? 1;
    const { data } = await request("get", "/templates/{name}/diff", { path: { name: this.name }, query: { from: 0, to: first } });
    return before(await this.text(first), data.hunks);
  }
}

/** Another client stored a version. */
export class Stale extends Error {
  constructor() {
    super("another client saved a new version; the list now includes it");
  }
}
