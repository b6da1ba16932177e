// A read-only diff of two texts, side by side or unified.
import { getChunks, goToNextChunk, goToPreviousChunk, MergeView, unifiedMergeView, type Chunk } from "@codemirror/merge";
import { Text, type Extension } from "@codemirror/state";
import { EditorView, keymap, lineNumbers, type Command } from "@codemirror/view";
import { reading } from "./reading";
import { DIFF } from "./reasons";

export type Layout = "side" | "column";

export interface Compared {
  changes: readonly Chunk[];
  next: () => void;
  previous: () => void;
  go: (change: number) => void;
  destroy: () => void;
}

export interface Side {
  label: string;
  text: string;
  /** What is to be known of the text, behind its label. */
  about?: string;
  /** What a text shows beside itself, such as the origins of a built prompt. */
  extension?: Extension;
}

const collapseUnchanged = { margin: 3, minSize: 6 };

/** Draws the comparison into `parent`; `onChange` gets the change that was gone to. */
export function compare(parent: HTMLElement, left: Side, right: Side, layout: Layout, onChange: (change: number) => void): Compared {
  const at = ({ state }: EditorView): number => {
    const { chunks = [], side = null } = getChunks(state) ?? {};
    const { head } = state.selection.main;
    return chunks.findIndex((one) => (side === "a" ? one.fromA <= head && head <= one.endA : one.fromB <= head && head <= one.endB));
  };
  const step =
    (by: typeof goToNextChunk): Command =>
    (view) => {
      if (!by(view)) return false;
      view.dispatch({ effects: EditorView.scrollIntoView(view.state.selection.main, { y: "center" }) });
      onChange(at(view));
      return true;
    };
  const [next, previous] = [step(goToNextChunk), step(goToPreviousChunk)];
  const steps = keymap.of([
    { key: "n", run: next },
    { key: "p", run: previous },
  ]);
  const extensions = ({ extension = [] }: Side, label: string) => [reading(label), lineNumbers(), steps, extension];
  const compared = (view: EditorView, destroy: () => void): Compared => {
    const changes = getChunks(view.state)?.chunks ?? [];
    const go = (change: number) => {
      const { fromB } = changes[change]!;
      const anchor = Math.min(fromB, view.state.doc.length);
      view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
      onChange(change);
    };
    return { changes, next: () => void next(view), previous: () => void previous(view), go, destroy };
  };
  if (layout === "column") {
    // A line feed alone ends a line, here as on the other side.
    const original = Text.of(left.text.split("\n"));
    const merge = unifiedMergeView({ original, mergeControls: false, gutter: true, diffConfig: DIFF, collapseUnchanged });
    const label = `${right.label}, compared with ${left.label}`;
    const view = new EditorView({ parent, doc: right.text, extensions: [extensions(right, label), merge] });
    return compared(view, () => view.destroy());
  }
  const both = new MergeView({
    parent,
    a: { doc: left.text, extensions: extensions(left, left.label) },
    b: { doc: right.text, extensions: extensions(right, right.label) },
    gutter: true,
    diffConfig: DIFF,
    collapseUnchanged,
  });
  return compared(both.b, () => both.destroy());
}
