// The preview: a text that knows where each byte of it came from. Only what is in sight is on the page. A click, or Enter, goes to
// the source; arrow keys go from value to value.
import { EditorState, RangeSetBuilder, StateEffect, StateField, Text, type Extension } from "@codemirror/state";
import {
  Decoration,
  EditorView,
  highlightSpecialChars,
  hoverTooltip,
  keymap,
  placeholder,
  showTooltip,
  ViewPlugin,
  type Command,
  type DecorationSet,
  type Tooltip,
  type ViewUpdate,
} from "@codemirror/view";
import { meta } from "../../api/meta";
import { AboutVariable, drawn, spokenVariable } from "../about";
import { spanAt, spanFrom, type Packed, type Spans } from "../analysis/packed";

export interface PreviewHooks {
  /** Goes to the source of a span; `inside` is how far into it somebody pointed. */
  go: (span: number, inside: number) => void;
}

interface Shown {
  packed: Packed | null;
  /** The span that is being told about; -1 for none. */
  current: number;
  /** The token at the caret of the text. */
  linked: number;
}

const answer = StateEffect.define<Packed | null>();
const current = StateEffect.define<number>();
const link = StateEffect.define<number>();

const shown = StateField.define<Shown>({
  create: () => ({ packed: null, current: -1, linked: -1 }),
  update(value, { effects }) {
    let next = value;
    for (const effect of effects) {
      if (effect.is(answer)) next = { packed: effect.value, current: -1, linked: next.linked };
      if (effect.is(current)) next = { ...next, current: effect.value };
      if (effect.is(link)) next = { ...next, linked: effect.value };
    }
    return next;
  },
  provide: (field) =>
    showTooltip.compute([field], (state) => {
      const { packed, current: at } = state.field(field);
      return packed && at >= 0 ? tooltip(packed, at) : null;
    }),
});

/** Makes the preview in a place of the page. */
export function createPreview(parent: HTMLElement, hooks: PreviewHooks): EditorView {
  return new EditorView({ parent, state: EditorState.create({ extensions: extensions(hooks) }) });
}

/** Shows another preview. Only what differs is replaced, so that the place in it stays. */
export function showPreview(view: EditorView, packed: Packed | null): void {
  const text = packed?.preview?.text ?? "";
  const old = view.state.doc;
  const next = Text.of(text.split("\n"));
  const changes = old.eq(next) ? undefined : difference(old.toString(), text);
  view.dispatch({ ...(changes && { changes }), effects: answer.of(packed?.preview ? packed : null) });
}

/** Marks what the tag at the caret has written, and brings it into sight. */
export function linkPreview(view: EditorView, token: number, reveal: boolean): void {
  const { packed } = view.state.field(shown);
  const at = packed?.preview && token >= 0 ? packed.preview.spans.token.indexOf(token) : -1;
  const effects: StateEffect<unknown>[] = [link.of(token)];
  if (reveal && at >= 0) {
    effects.push(EditorView.scrollIntoView(spanFrom(packed!.preview!.spans, at), { y: "nearest", yMargin: 40 }));
  }
  view.dispatch({ effects });
}

/** Tells about the run that a place of the template has written, or goes to where it would be. */
export function revealSource(view: EditorView, place: number): void {
  const { packed } = view.state.field(shown);
  const spans = packed?.preview?.spans;
  if (!spans) return;
  let found = -1;
  for (let at = 0; at < spans.count && spans.source[at]! <= place; at++) found = at;
  if (found < 0) return;
  const inside = spans.value[found] ? 0 : place - spans.source[found]!;
  const from = Math.min(spanFrom(spans, found) + inside, view.state.doc.length);
  view.dispatch({ effects: [EditorView.scrollIntoView(from, { y: "center" }), current.of(spans.value[found] ? found : -1)] });
  view.focus();
}

export function sourceOf(packed: Packed, span: number, inside = 0): { from: number; to: number } {
  const { spans } = packed.preview!;
  const from = spans.source[span]!;
  if (!spans.value[span]) return { from: from + inside, to: from + inside };
  const token = spans.token[span]!;
  return { from, to: token < 0 ? from : packed.tokens.to[token]! };
}

function difference(old: string, text: string): { from: number; to: number; insert: string } {
  const most = Math.min(old.length, text.length);
  let start = 0;
  while (start < most && old.charCodeAt(start) === text.charCodeAt(start)) start++;
  let end = 0;
  while (end < most - start && old.charCodeAt(old.length - 1 - end) === text.charCodeAt(text.length - 1 - end)) end++;
  return { from: start, to: old.length - end, insert: text.slice(start, text.length - end) };
}

function tooltip(packed: Packed, at: number): Tooltip | null {
  const { spans } = packed.preview!;
  const origin = packed.origins[spans.origin[at]!];
  if (!origin) return null;
  const variable = packed.variables.find(({ key }) => key === origin.key);
  if (!variable) return null;
  const hint = "Click or press Enter to go to its source.";
  const node = AboutVariable({ variable, source: origin.source, hint });
  return { pos: spanFrom(spans, at), end: spans.to[at]!, create: () => ({ dom: drawn(node) }) };
}

function valueAt(view: EditorView, place: number): number {
  const { packed } = view.state.field(shown);
  const spans = packed?.preview?.spans;
  if (!spans) return -1;
  const at = spanAt(spans, place);
  return at >= 0 && spans.value[at] ? at : -1;
}

/** Goes to the next value, or to the one before. */
function step(by: 1 | -1): Command {
  return (view) => {
    const { packed, current: now } = view.state.field(shown);
    const spans: Spans | undefined = packed?.preview?.spans;
    if (!packed || !spans) return false;
    let at = now < 0 ? (by > 0 ? spanAt(spans, view.viewport.from) - 1 : spans.count) : now;
    do at += by;
    while (at >= 0 && at < spans.count && !spans.value[at]);
    if (at < 0 || at >= spans.count) return now >= 0;
    const variable = packed.variables.find(({ key }) => key === packed.origins[spans.origin[at]!]!.key);
    view.dispatch({
      effects: [
        current.of(at),
        EditorView.scrollIntoView(spanFrom(spans, at), { y: "nearest", yMargin: 60 }),
        EditorView.announce.of(variable ? spokenVariable(variable) : ""),
      ],
    });
    return true;
  };
}

const close: Command = (view) => {
  if (view.state.field(shown).current < 0) return false;
  view.dispatch({ effects: current.of(-1) });
  return true;
};

function build(view: EditorView): DecorationSet {
  const { packed, current: now, linked } = view.state.field(shown);
  const builder = new RangeSetBuilder<Decoration>();
  const spans = packed?.preview?.spans;
  if (!packed || !spans) return builder.finish();
  const lasts = new Map(packed.variables.map(({ key, stability }) => [key, stability]));
  for (const range of view.visibleRanges) {
    for (let at = Math.max(0, spanAt(spans, range.from)); at < spans.count; at++) {
      const start = spanFrom(spans, at);
      if (start >= range.to) break;
      const isLinked = linked >= 0 && spans.token[at] === linked;
      if (!spans.value[at] && !isLinked) continue;
      const key = packed.origins[spans.origin[at]!]?.key;
      const kind = spans.value[at] ? `value lasts-${(key && lasts.get(key)) || "static"}` : "plain";
      const name = `${kind}${isLinked && spans.value[at] ? " linked" : ""}${at === now ? " current" : ""}`;
      const [from, to] = [Math.max(start, range.from), Math.min(spans.to[at]!, range.to)];
      if (from < to && name !== "plain") builder.add(from, to, Decoration.mark({ class: name }));
    }
  }
  return builder.finish();
}

const spansInSight = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = build(view);
    }

    update(update: ViewUpdate): void {
      const other = update.startState.field(shown) !== update.state.field(shown);
      if (other || update.docChanged || update.viewportChanged) this.decorations = build(update.view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

function extensions(hooks: PreviewHooks): Extension {
  const goCurrent: Command = (view) => {
    const { current: at } = view.state.field(shown);
    if (at >= 0) hooks.go(at, 0);
    return at >= 0;
  };
  return [
    EditorState.lineSeparator.of("\n"),
    meta.nonce ? EditorView.cspNonce.of(meta.nonce) : [],
    EditorState.readOnly.of(true),
    EditorView.editable.of(false),
    EditorView.contentAttributes.of({ "aria-label": "Preview", tabindex: "0" }),
    EditorView.lineWrapping,
    highlightSpecialChars(),
    placeholder("Empty: no system prompt is sent."),
    shown,
    spansInSight,
    hoverTooltip((view, place, side) => {
      const { packed, current: now } = view.state.field(shown);
      const at = valueAt(view, side < 0 && place > 0 ? place - 1 : place);
      return packed && at >= 0 && at !== now ? tooltip(packed, at) : null;
    }, {
      hoverTime: 200,
      // What is told stays; the same need not hover over it.
      hideOn: ({ effects }) => effects.some((effect) => effect.is(current)),
    }),
    EditorView.domEventHandlers({
      click: (event, view) => {
        // Whoever selects text to copy it does not want to go elsewhere.
        if (!view.state.selection.main.empty || !getSelection()?.isCollapsed) return false;
        const place = view.posAtCoords({ x: event.clientX, y: event.clientY });
        const spans = view.state.field(shown).packed?.preview?.spans;
        const at = place === null || !spans ? -1 : spanAt(spans, place);
        if (at >= 0) hooks.go(at, place! - spanFrom(spans!, at));
        return false;
      },
      blur: (_, view) => void close(view),
    }),
    keymap.of([
      { key: "ArrowDown", run: step(1) },
      { key: "ArrowRight", run: step(1) },
      { key: "ArrowUp", run: step(-1) },
      { key: "ArrowLeft", run: step(-1) },
      { key: "Enter", run: goCurrent },
      { key: "Escape", run: close },
    ]),
  ];
}
