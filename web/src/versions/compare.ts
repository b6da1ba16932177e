// A read-only diff of two texts, side by side or unified.
import { getChunks, goToNextChunk, goToPreviousChunk, MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { reading } from "./reading";

export type Layout = "side" | "column";

export interface Compared {
  /** The number of changes. */
  differences: number;
  next: () => void;
  previous: () => void;
  destroy: () => void;
}

export interface Side {
  label: string;
  text: string;
}

/** Large differences are computed approximately. */
const diffConfig = { scanLimit: 2_000, timeout: 600 };
const collapseUnchanged = { margin: 3, minSize: 6 };

/** Draws the comparison into `parent`. */
export function compare(parent: HTMLElement, left: Side, right: Side, layout: Layout): Compared {
  const steps = keymap.of([
    { key: "n", run: goToNextChunk },
    { key: "p", run: goToPreviousChunk },
  ]);
  const extensions = (label: string) => [reading(label), lineNumbers(), steps];
  if (layout === "column") {
    const merge = unifiedMergeView({ original: left.text, mergeControls: false, gutter: true, diffConfig, collapseUnchanged });
    const label = `${right.label}, compared with ${left.label}`;
    const view = new EditorView({ parent, doc: right.text, extensions: [extensions(label), merge] });
    return compared(view, () => view.destroy());
  }
  const both = new MergeView({
    parent,
    a: { doc: left.text, extensions: extensions(left.label) },
    b: { doc: right.text, extensions: extensions(right.label) },
    gutter: true,
    diffConfig,
    collapseUnchanged,
  });
  return compared(both.b, () => both.destroy());
}

function compared(view: EditorView, destroy: () => void): Compared {
  const step = (by: typeof goToNextChunk) => () => {
    by(view);
    view.dispatch({ effects: EditorView.scrollIntoView(view.state.selection.main, { y: "center" }) });
  };
  return {
    differences: getChunks(view.state)?.chunks.length ?? 0,
    next: step(goToNextChunk),
    previous: step(goToPreviousChunk),
    destroy,
  };
}
