// The last analysis inside of the editor's state, and what was typed since: together they describe each place of the text as it is now.
import { ChangeSet, StateEffect, StateField, type ChangeDesc, type EditorState, type Text } from "@codemirror/state";
import { tokenAt, type Packed } from "../analysis/packed";

export interface Analysed {
  packed: Packed | null;
  /** From the text that was analyzed to this one. */
  since: ChangeDesc;
  /** From the text that is being analyzed to this one. */
  sinceRequest: ChangeDesc;
  /** True where `since` holds a change. */
  touched: boolean;
}

/** This text is being analyzed. */
export const analysisRequested = StateEffect.define<null>();
/** This is what came of it. */
export const analysisReceived = StateEffect.define<Packed>();

const nothing = (doc: Text): ChangeDesc => ChangeSet.empty(doc.length).desc;

export const analysed = StateField.define<Analysed>({
  create: ({ doc }) => ({ packed: null, since: nothing(doc), sinceRequest: nothing(doc), touched: false }),
  update(value, { changes, docChanged, effects, newDoc }) {
    let next = value;
    if (docChanged) {
      const desc = changes.desc;
      next = { ...next, since: next.since.composeDesc(desc), sinceRequest: next.sinceRequest.composeDesc(desc), touched: true };
    }
    for (const effect of effects) {
      if (effect.is(analysisRequested)) next = { ...next, sinceRequest: nothing(newDoc) };
      if (effect.is(analysisReceived)) next = { packed: effect.value, since: next.sinceRequest, sinceRequest: next.sinceRequest, touched: !next.sinceRequest.empty };
    }
    return next;
  },
});

/** Returns the token at a place of the text as it is now, and where that lies; null where that has changed since. */
export function tokenNow(state: EditorState, place: number): { at: number; from: number; to: number; packed: Packed } | null {
  const { packed, since } = state.field(analysed);
  if (!packed) return null;
  const old = since.empty ? place : since.invertedDesc.mapPos(place, 1);
  const at = tokenAt(packed.tokens, old);
  if (at < 0) return null;
  const from = packed.tokens.from[at]!;
  const to = packed.tokens.to[at]!;
  if (since.touchesRange(from, to) && changedInside(since, from, to)) return null;
  return { at, from: since.mapPos(from, 1), to: since.mapPos(to, -1), packed };
}

/** True where a change reaches into a range of the analyzed text; beside it does not count. */
export function changedInside(since: ChangeDesc, from: number, to: number): boolean {
  let inside = false;
  since.iterChangedRanges((start, end) => {
    if (start === end ? start > from && start < to : start < to && end > from) inside = true;
  });
  return inside;
}
