// Tells about the tag under the pointer, or about the one at the caret when asked (Alt-Enter).
import { completionStatus } from "@codemirror/autocomplete";
import { StateEffect, StateField, type EditorState, type Extension } from "@codemirror/state";
import { EditorView, hoverTooltip, keymap, showTooltip, type Command, type Tooltip } from "@codemirror/view";
import { aboutToken, drawn, spokenToken } from "../about";
import { KINDS } from "../analysis/packed";
import { tokenNow } from "./analysed";

const TEXT = new Set([KINDS.indexOf("text"), KINDS.indexOf("raw-text")]);

/** Returns the tag at a place; where text and a tag meet, the tag. */
export function tagNow(state: EditorState, place: number): ReturnType<typeof tokenNow> {
  const token = tokenNow(state, place);
  if (token && !TEXT.has(token.packed.tokens.kind[token.at]!)) return token;
  if (place === 0) return null;
  const before = tokenNow(state, place - 1);
  return before && before.to >= place && !TEXT.has(before.packed.tokens.kind[before.at]!) ? before : null;
}

function tooltip(state: EditorState, place: number): Tooltip | null {
  const tag = tagNow(state, place);
  const node = tag && aboutToken(tag.packed, tag.at);
  if (!tag || !node) return null;
  return { pos: tag.from, end: tag.to, above: false, create: () => ({ dom: drawn(node) }) };
}

function answeredFor(state: EditorState, place: number): boolean {
  const tag = tagNow(state, place);
  const key = tag && tag.packed.keys[tag.packed.tokens.key[tag.at]!];
  const variable = key && tag.packed.variables.find((one) => one.key === key);
  return !variable || variable.registered || variable.exists === true;
}

const toggle = StateEffect.define<Tooltip | null>();

const shown = StateField.define<Tooltip | null>({
  create: () => null,
  update(value, { effects, docChanged, selection }) {
    for (const effect of effects) if (effect.is(toggle)) return effect.value;
    return docChanged || selection ? null : value;
  },
  provide: (field) => showTooltip.from(field),
});

const tell: Command = (view) => {
  const { head } = view.state.selection.main;
  const tag = tagNow(view.state, head);
  const card = view.state.field(shown) ? null : tooltip(view.state, head);
  const said = tag && card ? spokenToken(tag.packed, tag.at) : card ? "" : "No tag at the cursor.";
  view.dispatch({ effects: [toggle.of(card), EditorView.announce.of(said)] });
  return true;
};

const close: Command = (view) => {
  if (!view.state.field(shown)) return false;
  view.dispatch({ effects: toggle.of(null) });
  return true;
};

export function cards(): Extension {
  return [
    shown,
    hoverTooltip((view, place, side) => {
      // What nobody answers for has a finding, which says so under the pointer.
      const quiet = completionStatus(view.state) !== null || !answeredFor(view.state, place);
      const card = quiet ? null : tooltip(view.state, place);
      // Behind the end of a line there is nothing to tell about.
      return card && (card.pos < place || side > 0) && (card.end! > place || side < 0) ? card : null;
    }, { hoverTime: 250, hideOnChange: true }),
    keymap.of([
      { key: "Alt-Enter", run: tell },
      { key: "Escape", run: close },
    ]),
  ];
}
