// The CodeMirror extensions of read-only texts.
import { search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, highlightSpecialChars, keymap } from "@codemirror/view";
import { meta } from "../api/meta";
import { lineDirections } from "../edit/text/direction";
import { selectsWhole } from "../edit/text/whole";

/** Invisible characters that CodeMirror does not treat as special by default. */
const HIDDEN =
  /[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\uffa0]|[\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

const escapes = highlightSpecialChars({
  addSpecialChars: HIDDEN,
  render: (code) => {
    const mark = document.createElement("span");
    mark.className = "cm-specialChar";
    mark.textContent = `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
    return mark;
  },
});

/** The extensions of a text that is read; `label` is the accessible name. */
export function reading(label: string): Extension {
  return [
    EditorState.lineSeparator.of("\n"),
    EditorState.readOnly.of(true),
    EditorView.editable.of(false),
    EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
    meta.nonce ? EditorView.cspNonce.of(meta.nonce) : [],
    EditorView.lineWrapping,
    escapes,
    selectsWhole(),
    lineDirections(),
    search({ top: true }),
    keymap.of(searchKeymap),
  ];
}
