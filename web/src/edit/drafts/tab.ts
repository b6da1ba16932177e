// The identity of a tab, and which other tabs are open. An id outlives a reload and a crash, but a copied tab gets another one. Web Locks exist only in
// secure contexts: over plain HTTP, tabs find each other over a channel.
import { keep, kept } from "../../keep";

const SLOT = "preface-slot";
const PREFIX = "preface-draft:";
/** A reload requests its lock while the page before may still have it; a copied tab requests one that is not released. */
const PATIENCE = 250;

type Message = { query: string } | { here: string };

export class Tab {
  /** The id of this tab. */
  readonly id: Promise<string>;
  private readonly channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel("preface-tabs");
  private readonly replies = new Set<string>();
  private own = "";

  constructor() {
    this.channel?.addEventListener("message", ({ data }: MessageEvent<Message>) => {
      if ("here" in data) this.replies.add(data.here);
      else if (data.query === this.own) this.channel?.postMessage({ here: this.own } satisfies Message);
    });
    this.id = this.claim();
  }

  /** Returns those of the tabs that are open. */
  async open(tabs: readonly string[]): Promise<ReadonlySet<string>> {
    const others = [...new Set(tabs)].filter((one) => one !== this.own);
    if (others.length === 0) return new Set();
    if (!navigator.locks) return this.query(others);
    const held = (await navigator.locks.query().catch(() => null))?.held ?? [];
    return new Set(held.flatMap(({ name }) => (name?.startsWith(PREFIX) ? [name.slice(PREFIX.length)] : [])));
  }

  private async claim(): Promise<string> {
    const known = kept("session", SLOT);
    if (known !== null && /^[\w-]{8,64}$/.test(known) && (await this.hold(known))) this.own = known;
    else {
      this.own = randomId();
      await this.hold(this.own);
      keep("session", SLOT, this.own);
    }
    return this.own;
  }

  /** Returns true if no other tab has this id. */
  private async hold(id: string): Promise<boolean> {
    if (!navigator.locks) return (await this.query([id])).size === 0;
    return new Promise((done) => {
      const asLongAsItLives = () => (done(true), new Promise<void>(() => {}));
      navigator.locks.request(PREFIX + id, { signal: AbortSignal.timeout(PATIENCE) }, asLongAsItLives).catch(() => done(false));
    });
  }

  private async query(tabs: readonly string[]): Promise<ReadonlySet<string>> {
    if (!this.channel) return new Set();
    for (const id of tabs) this.replies.delete(id);
    for (const query of tabs) this.channel.postMessage({ query } satisfies Message);
    for (let waited = 0; waited < PATIENCE && !tabs.every((id) => this.replies.has(id)); waited += 25) {
      await new Promise((done) => setTimeout(done, 25));
    }
    return new Set(tabs.filter((id) => this.replies.has(id)));
  }
}

/** Returns an id that no one else has. */
const randomId = (): string => Array.from(crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(36)).join("-");
