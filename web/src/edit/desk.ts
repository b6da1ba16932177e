// The state of the editor: the open template, its text field, and the last analysis.
import { computed, effect, signal } from "@preact/signals";
import { EditorView, type ViewUpdate } from "@codemirror/view";
import { viewOnly } from "../api/access";
import { meta } from "../api/meta";
import { inText } from "./layout";
import { analyzer } from "./analysis/analyzer";
import type { Packed } from "./analysis/packed";
import { directory, model, readValues, readVariables, values, variables } from "./context";
import { go } from "../route";
import { drafts } from "./drafts";
import type { UnsavedText } from "./drafts/drafts";
import { lookForFiles, rememberFiles } from "./files";
import { sourceOf } from "./preview/viewer";
import { Session } from "./session";
import { analysed, analysisReceived, analysisRequested } from "./text/analysed";
import { tagNow } from "./text/card";
import { setReadOnly, type Hooks } from "./text/editor";
import { showFindings } from "./text/findings";
import { goTo } from "./text/insert";

export const session = signal<Session | null>(null);
export const packed = signal<Packed | null>(null);
/** The index of the token at the caret; -1 for none. */
export const caretToken = signal(-1);
/** Line and column of the caret, from 1. */
export const caret = signal({ line: 1, column: 1 });
/** True while the text field has the focus. */
export const writing = signal(false);
/** Incremented when the preview should show the position of the caret. */
export const showPlace = signal(0);

export const noteCount = computed(() => (packed.value ? packed.value.notes.length + packed.value.notesLeft : 0));
export const errorCount = computed(() => (packed.value?.notes ?? []).filter(({ severity }) => severity === "error").length);

const sessions = new Map<string, Session>();
let view: EditorView | null = null;

const hooks: Hooks = {
  save: () => void session.peek()?.save(),
  update: (update) => followed(update),
  showInPreview: () => void showPlace.value++,
};

/** Returns the text field; null if it is not mounted. */
export const textField = (): EditorView | null => view;

/** Actions that wait for the text to load. */
let waiting: ((field: EditorView) => void)[] = [];

/** Runs an action in the text field, after loading if necessary. */
export function inField(act: (field: EditorView) => void): void {
  if (session.peek()?.state) inText(() => view && act(view));
  else waiting.push(act);
}

/** Opens a template. */
export function open(name: string): void {
  const before = session.peek();
  if (before?.name === name) return;
  before?.keep();
  if (before) waiting = [];
  const isNew = awaited === name;
  awaited = "";
  let next = sessions.get(name);
  if (!next) {
    next = new Session(name, hooks);
    sessions.set(name, next);
  }
  readValues(name);
  next.onState = () => session.peek() === next && lay();
  session.value = next;
  lay();
  next.loaded = next.load(isNew);
  void next.loaded.then(() => {
    // A new template gets the focus.
    if (session.peek() === next && next.base.peek()?.missing && next.text === "") inText(() => requestAnimationFrame(() => view?.focus()));
  });
}

let awaited = "";

/** Marks a template as new, so that it is not requested. */
export function expectNew(name: string): void {
  awaited = name;
}

/** Discards the session of a template, so that it is reloaded when opened. */
export function forget(name: string): void {
  if (session.peek()?.name === name) session.value = null;
  sessions.delete(name);
}

/** Loads the open template again, as after it was restored; unsaved text stays as a draft. */
export function reopen(name: string): void {
  session.peek()?.keep();
  forget(name);
  open(name);
}

/** Returns the session of a template that was opened. */
export const sessionOf = (name: string): Session | undefined => sessions.get(name);

/** Shows a session again that was discarded, as it is now. */
export function adopt(again: Session): void {
  sessions.set(again.name, again);
  go("edit", again.name);
}

/** Opens the dialog of a conflict, unless the user goes on writing before it is loaded: the keys are for the text. */
export function resolveConflict(of: Session): void {
  view?.contentDOM.blur();
  void of.compareWithNewer(() => session.peek() === of && view !== null && !view.hasFocus);
}

/** Opens an unsaved text of the list. */
export async function openUnsaved(record: UnsavedText): Promise<void> {
  const { template, where, kind } = record;
  go("edit", template);
  open(template);
  const current = session.peek();
  await current?.loaded;
  if (!current || current.phase.peek() !== "ready") return;
  const isOwn = where === "here" && kind === "draft";
  // While the store is away, the text cannot take it.
  if (!isOwn && record.text !== current.text && !current.restore(record)) return;
  // What may be written elsewhere stays there.
  if (where === "closed tab" || kind !== "draft") await drafts.remove(record);
}

/** Mounts the text field. */
export function mount(parent: HTMLElement): () => void {
  // The nonce must be in the first state: styles are inserted with it.
  view = new EditorView({ parent, extensions: meta.nonce ? EditorView.cspNonce.of(meta.nonce) : [] });
  lay();
  const current = session.peek();
  // Another screen may have restored a version.
  if (current?.phase.peek() === "ready") void current.refresh();
  return () => {
    writing.value = false;
    analyzer.of(null);
    session.peek()?.keep();
    view?.destroy();
    view = null;
  };
}

/** Moves the caret to the source of a run of the preview. */
export function goToSource(span: number, inside: number): void {
  const now = view?.state.field(analysed);
  if (!view || !now?.packed?.preview) return;
  const { from, to } = sourceOf(now.packed, span, inside);
  goTo(view, now.since.mapPos(from, 1), now.since.mapPos(to, -1));
}

/** Moves the caret to a range of the analyzed text. */
export function goToPlace([from, to]: readonly [number, number]): void {
  const now = view?.state.field(analysed);
  if (view && now) goTo(view, now.since.mapPos(from, 1), now.since.mapPos(to, -1));
}

function lay(): void {
  const current = session.peek();
  if (!view || !current?.state) {
    packed.value = null;
    return;
  }
  view.setState(current.state);
  setReadOnly(view, current.readOnly);
  packed.value = view.state.field(analysed).packed;
  analyzer.of({ take, show });
  const acts = waiting;
  waiting = [];
  // The field comes out with the next drawing; it cannot take the focus before.
  if (acts.length > 0) requestAnimationFrame(() => acts.forEach(inField));
}

function take(): string {
  view!.dispatch({ effects: analysisRequested.of(null) });
  return view!.state.doc.toString();
}

function show(result: Packed): void {
  if (!view) return;
  view.dispatch({ effects: analysisReceived.of(result) });
  showFindings(view, result);
  packed.value = result;
  rememberFiles(result.variables);
}

function followed({ view: field, state, docChanged, selectionSet, transactions, focusChanged }: ViewUpdate): void {
  if (focusChanged) writing.value = field.hasFocus;
  session.peek()?.changed(state);
  if (docChanged) analyzer.soon();
  const received = transactions.some(({ effects }) => effects.some((one) => one.is(analysisReceived)));
  if (!docChanged && !selectionSet && !received) return;
  const { head } = state.selection.main;
  const line = state.doc.lineAt(head);
  caret.value = { line: line.number, column: head - line.from + 1 };
  caretToken.value = tagNow(state, head)?.at ?? -1;
}

effect(() => {
  void viewOnly.value;
  const current = session.peek();
  if (view && current?.state) setReadOnly(view, current.readOnly);
});

let first = true;
effect(() => {
  void [directory.value, model.value, values.value];
  if (!first) analyzer.anew();
  first = false;
  const timer = setTimeout(() => void readVariables(), 250);
  return () => clearTimeout(timer);
});

effect(() => {
  // The colours of tags that are being typed come from the list of variables.
  if (variables.value.length > 0) view?.dispatch({});
});

/** Reloads everything that may have changed elsewhere: files, variables, the stored template. */
export function lookAgain(): void {
  if (!view) return;
  void readVariables();
  lookForFiles();
  analyzer.anew();
  void session.peek()?.refresh();
}

// Coming back to the page raises both of these.
let returned: ReturnType<typeof setTimeout> | undefined;
const onReturn = () => {
  clearTimeout(returned);
  if (document.visibilityState === "visible") returned = setTimeout(lookAgain, 30);
};
addEventListener("focus", onReturn);
document.addEventListener("visibilitychange", onReturn);

// A page that was frozen writes its drafts again: another tab may have taken it for closed.
addEventListener("pageshow", () => keepAll());
document.addEventListener("visibilitychange", () => keepAll());
addEventListener("pagehide", () => {
  keepAll();
  drafts.leave();
});

function keepAll(): void {
  for (const one of sessions.values()) if (one.dirty.peek()) one.keep();
}

/** A version of another client is looked for so often while the editor is in sight, in milliseconds. */
const LOOK_EVERY = 5000;
setInterval(() => {
  const current = session.peek();
  if (view && document.visibilityState === "visible" && !current?.refused) void current?.refresh();
}, LOOK_EVERY);
