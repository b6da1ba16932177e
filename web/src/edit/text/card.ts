// Shows the card of the tag under the pointer, or with Alt-Enter of the one at the caret.
import { completionStatus } from "@codemirror/autocomplete";
import { StateEffect, StateField, type EditorState, type Extension } from "@codemirror/state";
import { EditorView, hoverTooltip, keymap, showTooltip, type Command, type Tooltip } from "@codemirror/view";
import { aboutToken, drawn, tokenDescription } from "../about";
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

function hasProvider(state: EditorState, place: number): boolean {
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

const toggleCard: Command = (view) => {
  const { head } = view.state.selection.main;
  const tag = tagNow(view.state, head);
  const card = view.state.field(shown) ? null : tooltip(view.state, head);
  const announcement = tag && card ? tokenDescription(tag.packed, tag.at) : card ? "" : "No tag at the cursor.";
  view.dispatch({ effects: [toggle.of(card), EditorView.announce.of(announcement)] });
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
      // An unknown variable has a diagnostic, which the pointer shows.
      const quiet = completionStatus(view.state) !== null || !hasProvider(view.state, place);
      const card = quiet ? null : tooltip(view.state, place);
      // No tag is behind the end of a line.
      return card && (card.pos < place || side > 0) && (card.end! > place || side < 0) ? card : null;
    }, { hoverTime: 250, hideOnChange: true }),
    keymap.of([
      { key: "Alt-Enter", run: toggleCard },
      { key: "Escape", run: close },
    ]),
  ];
}
