// Diagnostics in the text: squiggles with a message and the button of the fix.
import { forEachDiagnostic, lintKeymap, linter, nextDiagnostic, previousDiagnostic, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import type { Extension } from "@codemirror/state";
import { EditorView, keymap, type Command } from "@codemirror/view";
import { sentence } from "../../api/problem";
import type { Note } from "../../api/types";
import { escapedLines, head } from "../../shown";
import { messageElement } from "../../message-text";
import type { Packed } from "../analysis/packed";
import { analysed } from "./analysed";

const LONGEST = 600;

/** Returns the message and the help of a diagnostic with control characters escaped. */
export function words({ message, help }: Pick<Note, "message"> & { help?: string | null }): string {
  const text = help ? `${sentence(message)} ${sentence(help)}` : sentence(message);
  return escapedLines(head(text, LONGEST)) + (text.length > LONGEST ? "…" : "");
}

/** What a fix does, in short. */
export function fixLabel(note: Note): string {
  const text = note.edit?.replacement ?? "";
  if (text === "") return "Fix: remove";
  return `Fix: replace with ${escapedLines(head(text, 40)).replace(/\s+/g, " ")}${text.length > 40 ? "…" : ""}`;
}

function diagnostic(note: Note, at: (place: number, side: number) => number): Diagnostic {
  const { edit } = note;
  const from = at(note.utf16[0], 1);
  const to = Math.max(from, at(note.utf16[1], -1));
  return {
    from,
    to,
    severity: note.severity,
    source: note.code,
    message: words(note),
    renderMessage: () => messageElement("span", words(note)),
    actions: edit ? [{ name: fixLabel(note), apply: (view) => fix(view, note) }] : [],
  };
}

/** Applies the change that a finding proposes, where its text is still there. */
export function fix(view: EditorView, note: Note): void {
  if (!note.edit || view.state.readOnly) return;
  const { since } = view.state.field(analysed);
  const [from, to] = note.edit.utf16;
  if (since.touchesRange(from, to) === "cover") return;
  const changes = { from: since.mapPos(from, 1), to: since.mapPos(to, -1), insert: note.edit.replacement };
  if (changes.from > changes.to) return;
  view.dispatch({ changes, userEvent: "input.complete", scrollIntoView: true });
  view.focus();
}

/** Shows the findings of an analysis that has just been put into the state. */
export function showFindings(view: EditorView, packed: Packed): void {
  const { since } = view.state.field(analysed);
  const at = (place: number, side: number) => since.mapPos(place, side);
  view.dispatch(setDiagnostics(view.state, packed.notes.map((note) => diagnostic(note, at))));
}

/** Settles the first finding at the caret that can be settled. */
export const fixHere: Command = (view) => {
  const { head: caret } = view.state.selection.main;
  let done = false;
  forEachDiagnostic(view.state, (one, from, to) => {
    const action = one.actions?.[0];
    if (done || !action || caret < from || caret > to) return;
    done = true;
    action.apply(view, from, to);
  });
  return done;
};

/** Goes on to a finding and announces it. */
const announced =
  (step: Command): Command =>
  (view) => {
    if (!step(view)) return false;
    const { from, to } = view.state.selection.main;
    const messages: string[] = [];
    forEachDiagnostic(view.state, (one, start, end) => {
      if (start === from && end === to) messages.push(`${MARKS[one.severity as Note["severity"]] ?? ""}: ${one.message}`);
    });
    const line = view.state.doc.lineAt(from).number;
    view.dispatch({ effects: EditorView.announce.of(`Line ${line}. ${messages.join(" ")}`) });
    return true;
  };

export const MARKS = { error: "Error", warning: "Warning", info: "Info" };

export function findings(): Extension {
  return [
    linter(null, { tooltipFilter: (all) => all.slice(0, 4) }),
    keymap.of([
      ...lintKeymap.filter(({ key }) => key !== "F8" && key !== "Mod-Shift-m"),
      { key: "F8", run: announced(nextDiagnostic), shift: announced(previousDiagnostic) },
      { key: "Mod-.", run: fixHere },
    ]),
  ];
}
