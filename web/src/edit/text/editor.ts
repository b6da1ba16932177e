// The text field: CodeMirror with our colours, findings, completion and cards.
import { completionKeymap, completionStatus } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentLess, insertTab } from "@codemirror/commands";
import { Compartment, EditorState, Prec, Text, type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  placeholder,
  type Command,
  type ViewUpdate,
} from "@codemirror/view";
import { meta } from "../../api/meta";
import { analysed } from "./analysed";
import { cards } from "./card";
import { caretInSight } from "./caret-in-sight";
import { colours } from "./colours";
import { completion } from "./complete";
import { lineDirections } from "./direction";
import { findings } from "./findings";
import { conditionGutter } from "./gutter";
import { lineEnds } from "./line-ends";
import { searchOnDemand } from "./search";

export interface Hooks {
  save: () => void;
  update: (update: ViewUpdate) => void;
  /** Shows the place of the caret in the preview. */
  showInPreview: () => void;
}

const writable = new Compartment();

const locked = (is: boolean): Extension => [EditorState.readOnly.of(is), EditorView.editable.of(!is)];

/** Bidi controls and their like are drawn as a mark, as controls are. */
const HIDDEN = /[\u061c\u115f\u1160\u180e\u2060-\u206f\u3164\ufe00-\ufe0d\uffa0]|[\u{e0000}-\u{e0fff}]/gu;

/** Makes the state for a text. Line ends are kept as they are: only a line feed ends a line. */
export function stateOf(text: string, hooks: Hooks, readOnly: boolean): EditorState {
  return EditorState.create({ doc: documentOf(text), extensions: [writable.of(locked(readOnly)), extensions(hooks)] });
}

export const documentOf = (text: string): Text => Text.of(text.split("\n"));

export function setReadOnly(view: EditorView, is: boolean): void {
  if (view.state.readOnly !== is) view.dispatch({ effects: writable.reconfigure(locked(is)) });
}

function extensions(hooks: Hooks): Extension {
  const run = (act: () => void) => () => (act(), true);
  return [
    EditorState.lineSeparator.of("\n"),
    lineEnds(),
    EditorView.clipboardInputFilter.of((text) => text.replace(/\r\n?/g, "\n")),
    meta.nonce ? EditorView.cspNonce.of(meta.nonce) : [],
    EditorView.contentAttributes.of({
      "aria-label": "Template",
      tabindex: "0",
      spellcheck: "false",
      autocorrect: "off",
      autocapitalize: "off",
    }),
    EditorView.lineWrapping,
    caretInSight,
    analysed,
    lineNumbers(),
    conditionGutter(),
    highlightActiveLineGutter(),
    highlightActiveLine(),
    highlightSpecialChars({ addSpecialChars: HIDDEN }),
    drawSelection(),
    history(),
    placeholder("Empty: conversations have no system prompt. Type [ to insert a variable."),
    searchOnDemand(),
    Prec.highest(keymap.of([{ key: "Escape", run: letGo }])),
    colours(),
    lineDirections(),
    completion(),
    findings(),
    cards(),
    keymap.of([
      { key: "Mod-s", run: run(hooks.save), preventDefault: true },
      { key: "Mod-Enter", run: run(hooks.showInPreview) },
      ...completionKeymap,
      ...historyKeymap,
      ...defaultKeymap,
      { key: "Tab", run: insertTab, shift: indentLess },
    ]),
    EditorView.updateListener.of(hooks.update),
  ];
}

/** After Escape, Tab goes on to what follows for a moment, so that the keyboard can leave the text. An open list is closed first. */
const letGo: Command = (view) => {
  if (completionStatus(view.state) !== "active") view.setTabFocusMode(2000);
  return false;
};
