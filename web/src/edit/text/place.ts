// The surroundings of a place of the text: whether it is inside of a bracket, and of which kind.
import type { EditorState } from "@codemirror/state";

export interface Bracket {
  /** Behind the opening bracket, and behind `if ` and `!`, if they are there. */
  from: number;
  /** The opening bracket. */
  open: number;
  /** True for the head of a condition. */
  condition: boolean;
  /** What is written from `from` to the place. */
  written: string;
  /** Where the bracket closes on this line, behind the closing one; null where it does not. */
  close: number | null;
}

const FAR = 400;

/** Returns the bracket that is open at a place; null where none is. */
export function bracketAt(state: EditorState, place: number): Bracket | null {
  const line = state.doc.lineAt(place);
  const start = Math.max(line.from, place - FAR);
  const before = state.sliceDoc(start, place);
  const open = before.lastIndexOf("[");
  if (open < 0 || before.indexOf("]", open) >= 0) return null;
  const inside = before.slice(open + 1);
  const head = /^\s*(if\s+!?)?/.exec(inside)!;
  const after = state.sliceDoc(place, Math.min(line.to, place + FAR));
  const end = /^[^[\]]*\]/.exec(after);
  return {
    from: start + open + 1 + head[0].length,
    open: start + open,
    condition: head[1] !== undefined,
    written: inside.slice(head[0].length),
    close: end ? place + end[0].length : null,
  };
}

/** True if only blanks are before a place on its line. */
export function beginsLine(state: EditorState, place: number): boolean {
  const line = state.doc.lineAt(place);
  return /^\s*$/.test(state.sliceDoc(line.from, place));
}
