// One template while it is edited: its text, the stored version, and the draft. It outlives the screen, so that switching screens
// changes nothing.
import { signal } from "@preact/signals";
import type { EditorState, Text } from "@codemirror/state";
import { declined, viewOnly } from "../api/access";
import { Away, isNotPermitted, Problem, messageOf } from "../api/problem";
import { keep, kept } from "../keep";
import { drafts } from "./drafts";
import type { Draft } from "./drafts/record";
import { DraftWriter } from "./drafts/writer";
import { authorOf, changeOf, hasLost, NONE, readStored, resetStored, writeStored, type Stored } from "./stored";
import { documentOf, stateOf, type Hooks } from "./text/editor";
import { setUnsaved } from "./unsaved";

export interface Status {
  text: string;
  tone: "plain" | "good" | "bad";
  /** True if the message confirms a save. */
  stored?: boolean;
}

const QUIET: Status = { text: "", tone: "plain" };
const RETRY = 3000;

/** Another client saved a version after the one that the text is based on. */
export interface Conflict {
  theirs: Stored;
  /** The changes of both; in `overlaps` places both variants. */
  merged: string;
  overlaps: number;
}

/** The note and the labels of a version that is to be saved. */
export interface Plan {
  note: string;
  labels: readonly string[];
}

/** In sessionStorage, before the name of the template. */
const PLAN = "preface-plan:";

export class Session {
  readonly phase = signal<"loading" | "ready" | "failed">("loading");
  /** The stored version, as last loaded. */
  readonly base = signal<Stored | null>(null);
  readonly dirty = signal(false);
  readonly saving = signal(false);
  readonly status = signal<Status>(QUIET);
  /** The version of another client that a save conflicts with. */
  readonly conflict = signal<Conflict | null>(null);
  /** A newer version of another client, while there is unsaved text: a save would conflict with it, or has. */
  readonly newer = signal<Stored | null>(null);
  /** The reason why the store cannot be written; empty if it can. */
  readonly away = signal("");
  /** True if a draft was restored. */
  readonly broughtBack = signal(false);
  /** The draft in the browser. */
  readonly draft: DraftWriter;
  /** The editor's state while the template is not shown. */
  state: EditorState | null = null;
  /** True if the service refused to show the stored version, such as for an expired access token: the request is not repeated. */
  refused = false;
  /** Ends when the template was first loaded, or could not be. */
  loaded: Promise<void> = Promise.resolve();
  /** Called when the text was replaced from here. */
  onState: ((state: EditorState) => void) | null = null;

  private planned: Plan | null = null;
  private baseDocument: Text = documentOf("");
  private document: Text = this.baseDocument;
  /** What was edited in the dialog of a conflict. */
  private edited: string | null = null;
  /** The text of a save without a response: it may be stored all the same. */
  private unconfirmed: string | null = null;
  private retryTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly name: string,
    private readonly hooks: Hooks,
  ) {
    this.draft = new DraftWriter(name, drafts, () => this.unsavedText());
  }

  /** True if the store is unavailable and the text is the fallback. */
  get readOnly(): boolean {
    return this.base.peek()?.degraded === true || viewOnly.peek() !== "";
  }

  get text(): string {
    return this.document.toString();
  }

  /** True if there is something to save, and it can be saved. */
  get canSave(): boolean {
    const base = this.base.value;
    return this.phase.value === "ready" && !this.saving.value && !base?.degraded && viewOnly.value === "" && (this.dirty.value || base?.version === 0);
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
        const draft = await drafts.find(this.name);
        if (draft) await this.begin({ ...draft, text: draft.base ?? "", degraded: false, missing: draft.etag === null });
        else this.phase.value = "failed";
      }
      if (error instanceof Away) this.isAway(`${messageOf(error)} Your changes are stored in this browser.`);
      else this.setStatus(messageOf(error), isNotPermitted(error) ? "plain" : "bad");
    }
  }

  /** Reloads the stored version and shows it if nothing is unsaved; else offers a comparison. */
  async refresh(): Promise<void> {
    const base = this.base.peek();
    // A template that does not exist yet has nothing to reload; saving it reports a conflict.
    if (this.phase.peek() !== "ready" || !base || base.degraded || base.missing) return;
    this.refused = false;
    const stored = await readStored(this.name, base.etag).catch((error: unknown) => {
      this.refused = error instanceof Problem;
      return null;
    });
    if (!stored || stored.degraded || stored.etag === base.etag) return;
    const lost = await hasLost(this.name, base.version, stored);
    if (base !== this.base.peek() || this.saving.peek() || this.conflict.peek()) return;
    if (lost) {
      // No other client may have the text.
      this.setBase(stored);
      this.setStatus(`The store has lost version ${base.version}. ${this.dirty.peek() ? "Your text is unsaved." : ""}`, "bad");
    } else if (!this.dirty.peek() || stored.text === this.text) {
      this.setBase(stored);
      this.replace(stored.text);
      this.setStatus(stored.version > 0 ? `Updated to version ${stored.version}, saved by ${await authorOf(this.name, stored.version)}.` : changeOf(stored), "plain");
    } else this.newer.value = stored;
  }

  /** Shows the newer version beside the unsaved text, if `wanted` still returns true once the comparison is loaded. */
  async compareWithNewer(wanted: () => boolean): Promise<void> {
    const newer = this.newer.peek();
    if (newer) await this.compareWith(newer, wanted);
  }

  /** The note and the labels of a review whose version is not saved yet, because of a conflict. They outlive a reload. */
  get plan(): Plan | null {
    return (this.planned ??= JSON.parse(kept("session", PLAN + this.name) ?? "null") as Plan | null);
  }

  set plan(plan: Plan | null) {
    this.planned = plan;
    keep("session", PLAN + this.name, plan && JSON.stringify(plan));
  }

  /** The text has changed. */
  changed(state: EditorState): void {
    this.state = state;
    if (state.doc === this.document) return;
    this.document = state.doc;
    this.compare();
    // The message is about the earlier text.
    if (!this.saving.peek() && !this.conflict.peek()) this.status.value = QUIET;
    this.draft.changed();
  }

  /** Stores the draft now. */
  keep(): void {
    void this.draft.write();
  }

  /** The text was edited in the dialog of a conflict. */
  editMerged(text: string): void {
    if (this.edited === null && text === this.conflict.peek()?.merged) return;
    this.edited = text;
    this.draft.changed();
  }

  /** Closes the dialog of a conflict. What was edited there becomes the text; undo has the text before. */
  resolveLater(): void {
    this.conflict.value = null;
    if (!this.takeEdited()) return;
    this.setStatus("Not saved. The text has your changes from the comparison; undo restores the text before.", "plain");
  }

  /** Puts an unsaved text in the place of the text, which is set aside; false while there is none that can be written. */
  restore(draft: Draft): boolean {
    const base = this.base.peek();
    const now = this.unsavedText();
    if (!base || now === undefined) return false;
    if (now && now.text !== draft.text) void drafts.discard(this.name, now);
    const { etag, version } = draft;
    if (etag !== base.etag) this.setBase({ text: draft.base ?? "", etag, version, degraded: false, missing: etag === null });
    this.replace(draft.text);
    return true;
  }

  async save(note = ""): Promise<boolean> {
    const base = this.base.peek();
    if (!base || this.saving.peek() || this.readOnly) return false;
    if (!this.dirty.peek() && base.version > 0) {
      this.setStatus("No changes to save.", "plain");
      return true;
    }
    // A token dialog that was closed stays closed until the user needs a token.
    declined.value = false;
    return this.write(this.text, base.etag, note);
  }

  /** Saves a text on top of the version of another client. */
  async saveOver(text: string, note = ""): Promise<boolean> {
    const theirs = this.conflict.peek()?.theirs;
    if (!theirs) return false;
    this.takeEdited();
    if (text !== this.text) this.replace(text);
    this.setBase(theirs);
    this.conflict.value = null;
    return this.write(text, theirs.etag, note);
  }

  /** Replaces the text by the version of another client. */
  takeTheirs(): void {
    const theirs = this.conflict.peek()?.theirs;
    if (!theirs) return;
    this.takeEdited();
    // Undo has it as long as the page lives; the draft has it until something is saved.
    const { etag, version, text: base } = theirs;
    const given = { text: this.text, etag, version, base };
    this.conflict.value = null;
    this.plan = null;
    this.setBase(theirs);
    this.replace(theirs.text);
    void drafts.keep(this.name, given, "aside");
    this.setStatus(`Replaced by version ${theirs.version}. Undo restores your text.`, "plain");
  }

  /** Discards the unsaved text; returns it. The list of unsaved texts has it for some days. */
  discard(): Draft | null {
    const base = this.base.peek();
    const draft = this.unsavedText() ?? null;
    if (draft) void drafts.discard(this.name, draft);
    if (base) this.replace(base.text);
    this.plan = null;
    void drafts.keep(this.name, null, "aside");
    this.broughtBack.value = false;
    // It may have been based on an earlier version.
    void this.refresh();
    return draft;
  }

  /** Resets or deletes the template; returns what undoes it, null if it failed. */
  async reset(): Promise<(() => Promise<void>) | null> {
    try {
      const before = this.base.peek();
      const draft = this.unsavedText() ?? null;
      if (draft) await drafts.discard(this.name, draft);
      await resetStored(this.name, before?.etag ?? null);
      const stored = await readStored(this.name);
      this.setBase(stored);
      this.replace(stored.text);
      this.broughtBack.value = false;
      this.setStatus(stored.missing ? "Deleted." : "Reset to the default.", "good");
      return async () => {
        const again = await writeStored(this.name, before?.text ?? "", stored.etag, "");
        this.setBase(again);
        this.replace(draft?.text ?? again.text);
        this.setStatus(`Restored as version ${again.version}.`, "good");
      };
    } catch (error) {
      await this.failed(error);
      return null;
    }
  }

  setStatus(text: string, tone: Status["tone"]): void {
    this.status.value = { text, tone };
  }

  private async write(text: string, etag: string | null, note: string): Promise<boolean> {
    this.saving.value = true;
    this.setStatus("Saving…", "plain");
    try {
      this.setBase(await writeStored(this.name, text, etag, note));
      this.away.value = "";
      this.broughtBack.value = false;
      this.unconfirmed = null;
      this.plan = null;
      void drafts.keep(this.name, null, "aside");
      const saved = `Saved as version ${this.base.peek()!.version}`;
      if (this.dirty.peek()) this.setStatus(`${saved}. Later changes are unsaved.`, "plain");
      else this.status.value = { text: saved, tone: "good", stored: true };
      return true;
    } catch (error) {
      if (error instanceof Away) this.unconfirmed = text;
      return await this.failed(error, note);
    } finally {
      this.saving.value = false;
    }
  }

  /** Reports why something failed; true if the text is saved all the same. */
  private async failed(error: unknown, note = ""): Promise<boolean> {
    if (error instanceof Problem && error.status === 412) {
      try {
        const theirs = await readStored(this.name);
        const own = theirs.text === this.unconfirmed;
        if (theirs.text === this.text || own) {
          this.setBase(theirs);
          this.unconfirmed = null;
          if (this.dirty.peek()) return await this.write(this.text, theirs.etag, note);
          // Another client saved the same text, or a response was lost: there is no conflict.
          this.setStatus(own ? `Saved as version ${theirs.version}.` : `Already saved as version ${theirs.version} by another client.`, "good");
          return true;
        }
        // A dialog that opened now would take the keys of a user who types on.
        this.newer.value = theirs;
        this.setStatus("Not saved: save conflict.", "bad");
        return false;
      } catch (second) {
        return this.failed(second);
      }
    }
    if (error instanceof Away) this.isAway(`${messageOf(error)} Your changes are stored in this browser.`);
    const refused = isNotPermitted(error);
    const words = refused ? `Not saved. ${messageOf(error)} Your changes are stored in this browser.` : messageOf(error);
    this.setStatus(error instanceof Away ? "Not saved." : words, refused ? "plain" : "bad");
    return false;
  }

  /** Merges the text with a version of another client, and shows both. */
  private async compareWith(theirs: Stored, wanted: () => boolean): Promise<void> {
    const base = this.base.peek();
    // A deleted template, or an older store, has nothing that would have to be merged.
    const older = theirs.missing || (await hasLost(this.name, base?.version ?? 0, theirs));
    const merge = await import("./merge-pane").then((pane) => pane.merge, () => null);
    if (!wanted()) return;
    // With the words that were typed meanwhile.
    const mine = this.text;
    // Without the merge, the own text is shown.
    const merged = merge ? merge(older ? theirs.text : (base?.text ?? ""), mine, theirs.text) : { text: mine, overlaps: 1 };
    this.conflict.value = { theirs, merged: merged.text, overlaps: merged.overlaps };
  }

  /** Takes over what was edited in the dialog of a conflict; false if nothing was. */
  private takeEdited(): boolean {
    const edited = this.edited;
    this.edited = null;
    if (edited === null || edited === this.text) return false;
    this.replace(edited);
    return true;
  }

  /** Returns the draft; null if nothing is unsaved, `undefined` before there is a text. */
  private unsavedText(): Draft | null | undefined {
    const base = this.base.peek();
    if (!base || base.degraded) return undefined;
    const { etag, version, text } = base;
    return this.dirty.peek() ? { text: this.edited ?? this.text, etag, version, base: text } : null;
  }

  private async begin(stored: Stored): Promise<void> {
    const draft = stored.degraded ? null : await drafts.find(this.name);
    const back = draft !== null && draft.text !== stored.text;
    const based = back && draft.etag !== stored.etag;
    // Without the base text, all of the draft counts as changed.
    const base = based ? { ...stored, text: draft.base ?? "", etag: draft.etag, version: draft.version, missing: draft.etag === null } : stored;
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
      this.setStatus("Connection restored.", "plain");
    } catch {
      this.again();
    }
  }
}
