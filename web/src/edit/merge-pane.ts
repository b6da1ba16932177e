// A merge of two texts, and an editable diff, side by side or unified. Loaded on first use.
import "../shell"; // Part of the first load already; the import keeps that in one chunk.
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { getChunks, MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { meta } from "../api/meta";

export { merge } from "./merge";

export interface MergePane {
  text: () => string;
  differences: number;
  destroy: () => void;
}

const COMMON: Extension = [
  EditorState.lineSeparator.of("\n"),
  meta.nonce ? EditorView.cspNonce.of(meta.nonce) : [],
  EditorView.lineWrapping,
  highlightSpecialChars(),
  lineNumbers(),
  history(),
  keymap.of([...historyKeymap, ...defaultKeymap]),
];

/** Large differences are computed approximately. */
const SCAN = { scanLimit: 2_000, timeout: 800 };

const named = (label: string): Extension => EditorView.contentAttributes.of({ "aria-label": label });
const locked: Extension = [EditorState.readOnly.of(true), EditorView.editable.of(false), EditorView.contentAttributes.of({ tabindex: "0" })];

/** Shows `theirs` and an editable `merged`; `unified` in one column. */
export function mergePane(parent: HTMLElement, theirs: string, merged: string, unified: boolean, onText: (text: string, differences: number) => void): MergePane {
  let reported = -1;
  // The differences are found after the text has changed, in a step of their own.
  const listen = EditorView.updateListener.of(({ docChanged, view, state }) => {
    const differences = count(view);
    if (reported >= 0 && (docChanged || differences !== reported)) onText(state.doc.toString(), differences);
    reported = differences;
  });
  if (unified) {
    const merge = unifiedMergeView({ original: theirs, diffConfig: SCAN, collapseUnchanged: {}, mergeControls: control });
    const view = new EditorView({ parent, doc: merged, extensions: [COMMON, named("Merged, compared with theirs"), listen, merge] });
    return { text: () => view.state.doc.toString(), differences: count(view), destroy: () => view.destroy() };
  }
  const both = new MergeView({
    parent,
    a: { doc: theirs, extensions: [COMMON, named("Theirs"), locked] },
    b: { doc: merged, extensions: [COMMON, named("Merged"), listen] },
    revertControls: "a-to-b",
    renderRevertControl: arrow,
    collapseUnchanged: {},
    diffConfig: SCAN,
  });
  return { text: () => both.b.state.doc.toString(), differences: count(both.b), destroy: () => both.destroy() };
}

function control(type: "accept" | "reject", act: (event: MouseEvent) => void): HTMLElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button small";
  button.textContent = type === "accept" ? "Keep merged" : "Use theirs";
  button.addEventListener("click", act);
  return button;
}

function arrow(): HTMLElement {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "→";
  button.title = "Use theirs here";
  button.ariaLabel = button.title;
  return button;
}

const count = (view: EditorView): number => getChunks(view.state)?.chunks.length ?? 0;
