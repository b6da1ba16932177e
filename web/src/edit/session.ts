// One template while it is edited: its text, the stored version, and the draft. It outlives the screen, so that switching screens
// changes nothing.
import { signal } from "@preact/signals";
import type { EditorState, Text } from "@codemirror/state";
import { Away, isNotPermitted, Problem, told } from "../api/problem";
import { findDraft, keepDraft } from "./draft";
import { NONE, readStored, resetStored, writeStored, type Stored } from "./stored";
import { documentOf, stateOf, type Hooks } from "./text/editor";
import { setUnsaved } from "./unsaved";

export interface Said {
  text: string;
  tone: "plain" | "good" | "bad";
  /** True if the message confirms a save. */
  stored?: boolean;
}

const QUIET: Said = { text: "", tone: "plain" };
const RETRY = 3000;
const KEEP_AFTER = 400;

export class Session {
  readonly phase = signal<"loading" | "ready" | "failed">("loading");
  /** The stored version, as last loaded. */
  readonly base = signal<Stored | null>(null);
  readonly dirty = signal(false);
  readonly saving = signal(false);
  readonly said = signal<Said>(QUIET);
  /** The version of another client that a save conflicts with. */
  readonly conflict = signal<Stored | null>(null);
  /** A newer version of another client, while there is unsaved text. */
  readonly newer = signal<Stored | null>(null);
  /** The reason why the store cannot be written; empty if it can. */
  readonly away = signal("");
  /** True if a draft was restored. */
  readonly broughtBack = signal(false);
  /** True if the draft could not be stored. */
  readonly noRoom = signal(false);
  /** The editor's state while the template is not shown. */
  state: EditorState | null = null;
  /** Called when the text was replaced from here. */
  onState: ((state: EditorState) => void) | null = null;

  private baseDocument: Text = documentOf("");
  private document: Text = this.baseDocument;
  private keepTimer: ReturnType<typeof setTimeout> | undefined;
  private retryTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly name: string,
    private readonly hooks: Hooks,
  ) {}

  /** True if the store is unavailable and the text is the fallback. */
  get readOnly(): boolean {
    return this.base.peek()?.degraded === true;
  }

  get text(): string {
    return this.document.toString();
  }

  /** `isNew` skips the request for a template that does not exist yet. */
  async load(isNew = false): Promise<void> {
    clearTimeout(this.retryTimer);
    try {
      const stored = isNew ? NONE : await readStored(this.name);
      const first = this.phase.peek() !== "ready" || this.readOnly;
      if (stored.degraded && !first) return this.isAway("The store is not responding.");
      this.away.value = stored.degraded ? "The store is not responding. The default template is shown, read-only." : "";
      if (first) await this.begin(stored);
      if (stored.degraded) this.again();
    } catch (error) {
      if (this.phase.peek() === "loading") {
        const draft = await findDraft(this.name);
        if (draft) await this.begin({ ...draft, text: draft.base ?? "", degraded: false, missing: draft.etag === null });
        else this.phase.value = "failed";
      }
      if (error instanceof Away) this.isAway(`${told(error)} Your changes are stored in this browser.`);
      else this.say(told(error), isNotPermitted(error) ? "plain" : "bad");
    }
  }

  /** Reloads the stored version and shows it if nothing is unsaved; else offers a comparison. */
  async refresh(): Promise<void> {
    const base = this.base.peek();
    // A template that does not exist yet has nothing to reload; saving it reports a conflict.
    if (this.phase.peek() !== "ready" || !base || base.degraded || base.missing) return;
    const stored = await readStored(this.name, base.etag).catch(() => null);
    const same = !stored || stored.degraded || stored.etag === base.etag;
    if (same || base !== this.base.peek() || this.saving.peek() || this.conflict.peek()) return;
    if (!this.dirty.peek() || stored.text === this.text) {
      this.setBase(stored);
      this.replace(stored.text);
      this.say(`Updated to version ${stored.version}, saved by another client.`, "plain");
    } else this.newer.value = stored;
  }

  /** Shows the newer version beside the unsaved text. */
  compareWithNewer(): void {
    this.conflict.value = this.newer.peek();
    this.newer.value = null;
  }

  /** The text has changed. */
  changed(state: EditorState): void {
    this.state = state;
    if (state.doc === this.document) return;
    this.document = state.doc;
    this.compare();
    // The message is about the earlier text.
    if (!this.saving.peek() && !this.conflict.peek()) this.said.value = QUIET;
    clearTimeout(this.keepTimer);
    this.keepTimer = setTimeout(() => this.keep(), KEEP_AFTER);
  }

  /** Stores the draft now. */
  keep(): void {
    clearTimeout(this.keepTimer);
    const base = this.base.peek();
    if (!base || base.degraded) return;
    const { etag, version, text } = base;
    const dirty = this.dirty.peek();
    this.noRoom.value = !keepDraft(this.name, dirty ? { text: this.text, etag, version, base: text } : null);
  }

  async save(note = ""): Promise<boolean> {
    const base = this.base.peek();
    if (!base || this.saving.peek() || this.readOnly) return false;
    if (!this.dirty.peek() && base.version > 0) {
      this.say("No changes to save.", "plain");
      return true;
    }
    return this.write(this.text, base.etag, note);
  }

  /** Saves a text on top of the version of another client. */
  async saveOver(text: string): Promise<boolean> {
    const theirs = this.conflict.peek();
    if (!theirs) return false;
    if (text !== this.text) this.replace(text);
    this.setBase(theirs);
    this.conflict.value = null;
    return this.write(text, theirs.etag, "");
  }

  /** Replaces the text by the version of another client. */
  takeTheirs(): void {
    const theirs = this.conflict.peek();
    if (!theirs) return;
    // Undo has it as long as the page lives; the draft has it until something is saved.
    const { etag, version, text: base } = theirs;
    const given = { text: this.text, etag, version, base };
    this.conflict.value = null;
    this.setBase(theirs);
    this.replace(theirs.text);
    this.noRoom.value = !keepDraft(this.name, given, "aside");
    this.say(`Replaced by version ${theirs.version}. Undo restores your text.`, "plain");
  }

  /** Discards the unsaved text. */
  discard(): void {
    const base = this.base.peek();
    if (base) this.replace(base.text);
    keepDraft(this.name, null, "aside");
    this.broughtBack.value = false;
    // It may have been based on an earlier version.
    void this.refresh();
  }

  async reset(): Promise<boolean> {
    try {
      await resetStored(this.name, this.base.peek()?.etag ?? null);
      const stored = await readStored(this.name);
      this.setBase(stored);
      this.replace(stored.text);
      this.say(stored.missing ? "Deleted." : "Reset to the default.", "good");
      return true;
    } catch (error) {
      await this.failed(error);
      return false;
    }
  }

  say(text: string, tone: Said["tone"]): void {
    this.said.value = { text, tone };
  }

  private async write(text: string, etag: string | null, note: string): Promise<boolean> {
    this.saving.value = true;
    this.say("Saving…", "plain");
    try {
      this.setBase(await writeStored(this.name, text, etag, note));
      this.away.value = "";
      this.broughtBack.value = false;
      keepDraft(this.name, null, "aside");
      this.said.value = { text: `Saved as version ${this.base.peek()!.version}`, tone: "good", stored: true };
      return true;
    } catch (error) {
      await this.failed(error);
      return false;
    } finally {
      this.saving.value = false;
    }
  }

  private async failed(error: unknown): Promise<void> {
    if (error instanceof Problem && error.status === 412) {
      try {
        const theirs = await readStored(this.name);
        // Another client saved the same text: there is no conflict.
        if (theirs.text === this.text) {
          this.setBase(theirs);
          return this.say(`Already saved as version ${theirs.version} by another client.`, "good");
        }
        this.conflict.value = theirs;
        return this.say("Save conflict.", "bad");
      } catch (second) {
        return this.failed(second);
      }
    }
    if (error instanceof Away) this.isAway(`${told(error)} Your changes are stored in this browser.`);
    const refused = isNotPermitted(error);
    const words = refused ? `Not saved. ${told(error)} Your changes are stored in this browser.` : told(error);
    this.say(error instanceof Away ? "Not saved." : words, refused ? "plain" : "bad");
  }

  private async begin(stored: Stored): Promise<void> {
    const draft = stored.degraded ? null : await findDraft(this.name);
    const back = draft !== null && draft.text !== stored.text;
    const based = back && draft.etag !== stored.etag;
    // Without the base text, all of the draft counts as changed.
    const base = based ? { ...stored, text: draft.base ?? "", etag: draft.etag, version: draft.version } : stored;
    this.state = stateOf(back ? draft.text : stored.text, this.hooks, stored.degraded);
    this.document = this.state.doc;
    this.setBase(base);
    this.phase.value = "ready";
    this.broughtBack.value = back;
    this.onState?.(this.state);
  }

  private setBase(stored: Stored): void {
    this.base.value = stored;
    this.newer.value = null;
    this.baseDocument = documentOf(stored.text);
    this.compare();
    this.keep();
  }

  /** Replaces the text in one undoable step. */
  private replace(text: string): void {
    if (!this.state) return;
    const changes = { from: 0, to: this.state.doc.length, insert: documentOf(text) };
    const { state } = this.state.update({ changes, userEvent: "input.replace" });
    this.document = state.doc;
    this.state = state;
    this.compare();
    this.keep();
    this.onState?.(state);
  }

  private compare(): void {
    const dirty = !this.document.eq(this.baseDocument);
    this.dirty.value = dirty;
    setUnsaved(this.name, dirty && !this.readOnly);
  }

  private isAway(why: string): void {
    this.away.value = why;
    this.again();
  }

  private again(): void {
    clearTimeout(this.retryTimer);
    this.retryTimer = setTimeout(() => void this.look(), RETRY);
  }

  /** Checks if the store is available again. */
  private async look(): Promise<void> {
    if (this.phase.peek() !== "ready" || this.readOnly) return this.load();
    try {
      const stored = await readStored(this.name);
      if (stored.degraded) return this.again();
      this.away.value = "";
      this.say("Connection restored.", "plain");
    } catch {
      this.again();
    }
  }
}
