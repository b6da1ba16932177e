// Writes the draft of one template while it is edited: soon after a change, and also while typing goes on.
import { signal } from "@preact/signals";
import type { Drafts } from "./drafts";
import type { Draft } from "./record";

/** Where the unsaved text is. */
export type DraftState =
  | { kind: "none" }
  | { kind: "changed"; since: number }
  | { kind: "writing" }
  | { kind: "stored"; at: number }
  /** The browser does not store it. */
  | { kind: "refused" };

/** A draft is written so long after a change, and at the latest so long after the first change that is not written. */
const AFTER = 300;
const AT_MOST = 700;

export class DraftWriter {
  readonly state = signal<DraftState>({ kind: "none" });
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly template: string,
    private readonly drafts: Drafts,
    /** Returns the draft; null if nothing is unsaved, `undefined` if nothing is to be written. */
    private readonly read: () => Draft | null | undefined,
  ) {}

  /** Something has changed. */
  changed(): void {
    // Not the time of day, which may be set back.
    const now = performance.now();
    const state = this.state.peek();
    const since = state.kind === "changed" ? state.since : now;
    this.state.value = { kind: "changed", since };
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.write(), Math.max(0, Math.min(AFTER, since + AT_MOST - now)));
  }

  /** Writes the draft now, or removes it. */
  async write(): Promise<void> {
    clearTimeout(this.timer);
    const draft = this.read();
    if (draft === undefined) return;
    const writing: DraftState = { kind: "writing" };
    this.state.value = writing;
    const stored = await this.drafts.keep(this.template, draft);
    // Something was typed meanwhile.
    if (this.state.peek() !== writing) return;
    this.state.value = !stored ? { kind: "refused" } : draft ? { kind: "stored", at: Date.now() } : { kind: "none" };
  }
}
