// Puts variables and blocks into the text at the caret, in one step that undo takes back, and gives the text the focus.
import { EditorSelection } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import { startCompletion } from "@codemirror/autocomplete";
import { beginsLine, bracketAt } from "./place";

/** Inserts a variable; inside of an open bracket, its key alone. */
export function insertKey(view: EditorView, key: string): void {
  const { from, to } = view.state.selection.main;
  const bracket = from === to ? bracketAt(view.state, from) : null;
  if (bracket) {
    const end = bracket.close === null ? from : bracket.close - 1;
    const insert = bracket.close === null ? `${key}]` : key;
    replace(view, bracket.from, Math.max(end, from), insert, bracket.from + key.length + 1);
    return;
  }
  replace(view, from, to, `[${key}]`, from + key.length + 2);
}

export type Block = "if" | "if-not" | "if-else" | "raw";

/** Puts a block around the selection. In a condition, the caret goes to the key. */
export function insertBlock(view: EditorView, block: Block, key = ""): void {
  const { state } = view;
  const { from, to } = state.selection.main;
  const selected = state.sliceDoc(from, to);
  const lines = beginsLine(state, from) && (selected === "" || selected.includes("\n") || /^\s*$/.test(rest(view, to)));
  const gap = lines ? "\n" : "";
  const body = selected.endsWith("\n") && lines ? selected.slice(0, -1) : selected;
  if (block === "raw") {
    replace(view, from, to, `[raw]${gap}${body}${gap}[endraw]`, from + 5 + gap.length + body.length);
    return;
  }
  const head = `[if ${block === "if-not" ? "!" : ""}`;
  const otherwise = block === "if-else" ? `[else]${gap}${gap}` : "";
  const insert = `${head}${key}]${gap}${body}${gap}${otherwise}[endif]`;
  const inHead = from + head.length;
  replace(view, from, to, insert, key === "" ? inHead : inHead + key.length + 1 + gap.length + body.length);
  if (key === "") startCompletion(view);
}

/** Shows a place: selected, in sight, with the focus. */
export function goTo(view: EditorView, from: number, to = from): void {
  const length = view.state.doc.length;
  const range = EditorSelection.range(Math.min(from, length), Math.min(to, length));
  view.dispatch({ selection: range, scrollIntoView: true, userEvent: "select" });
  view.focus();
}

function rest(view: EditorView, place: number): string {
  return view.state.sliceDoc(place, view.state.doc.lineAt(place).to);
}

function replace(view: EditorView, from: number, to: number, insert: string, caret: number): void {
  if (view.state.readOnly) return;
  view.dispatch({
    changes: { from, to, insert },
    selection: { anchor: caret },
    scrollIntoView: true,
    userEvent: "input.complete",
  });
  view.focus();
}
