// The preview: a text that knows where each byte of it came from. Only what is in sight is on the page. A click, or Enter, goes to
// the source; arrow keys go from value to value.
import { EditorState, Facet, RangeSetBuilder, StateEffect, StateField, Text, type Extension } from "@codemirror/state";
import {
  Decoration,
  EditorView,
  highlightSpecialChars,
  hoverTooltip,
  keymap,
  placeholder,
  showTooltip,
  type Rect,
  ViewPlugin,
  WidgetType,
  type Command,
  type DecorationSet,
  type Tooltip,
  type ViewUpdate,
} from "@codemirror/view";
import { meta } from "../../api/meta";
import { escaped, head } from "../../shown";
import { AboutVariable, drawn, variableDescription } from "../about";
import { KINDS, spanAt, spanFrom, tokensOfShare, type Packed, type Spans } from "../analysis/packed";
import { lineDirections } from "../text/direction";
import { selectsWhole } from "../text/whole";
import { copy } from "../../ui/copy";

export interface PreviewHooks {
  /** Goes to the source of a span; `inside` is the offset of the click in it. */
  go: (span: number, inside: number) => void;
  /** Goes to a tag that has written nothing. */
  goToTag: (token: number) => void;
}

interface Shown {
  packed: Packed | null;
  /** The span whose card is shown; -1 for none. */
  current: number;
  /** The token at the caret of the text. */
  linked: number;
}

const analysis = StateEffect.define<Packed | null>();
const current = StateEffect.define<number>();
const link = StateEffect.define<number>();

const linksToSource = Facet.define<boolean, boolean>({ combine: (all) => all.includes(true) });

export const shown = StateField.define<Shown>({
  create: () => ({ packed: null, current: -1, linked: -1 }),
  update(value, { effects }) {
    let next = value;
    for (const effect of effects) {
      if (effect.is(analysis)) next = { packed: effect.value, current: -1, linked: next.linked };
      if (effect.is(current)) next = { ...next, current: effect.value };
      if (effect.is(link)) next = { ...next, linked: effect.value };
    }
    return next;
  },
  provide: (field) =>
    showTooltip.compute([field, linksToSource], (state) => {
      const { packed, current: at } = state.field(field);
      return packed && at >= 0 ? tooltip(state, packed, at) : null;
    }),
});

/** Makes the preview in a place of the page. */
export function createPreview(parent: HTMLElement, hooks: PreviewHooks): EditorView {
  const view = new EditorView({ parent, state: EditorState.create({ extensions: extensions(hooks) }) });
  // Without them, values have their colors and descriptions.
  import("./brackets").then(({ brackets }) => view.dispatch({ effects: StateEffect.appendConfig.of(brackets()) }), () => {});
  return view;
}

/** Shows another preview. Only what differs is replaced, so that the place in it stays. */
export function showPreview(view: EditorView, packed: Packed | null): void {
  const text = packed?.preview?.text ?? "";
  const old = view.state.doc;
  const next = Text.of(text.split("\n"));
  const changes = old.eq(next) ? undefined : difference(old.toString(), text);
  view.dispatch({ ...(changes && { changes }), effects: analysis.of(packed?.preview ? packed : null) });
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

/** Shows the card of the run that a place of the template has written, or goes to where it would be. */
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

/** Shows the origins of a built prompt in a text that is read. A click describes a value: its template is not at hand. */
export function origins(packed: Packed): Extension {
  return [shown.init(() => ({ packed, current: -1, linked: -1 })), described(null)];
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

function tooltip(state: EditorState, packed: Packed, at: number): Tooltip | null {
  const { spans } = packed.preview!;
  const origin = packed.origins[spans.origin[at]!];
  if (!origin) return null;
  const variable = packed.variables.find(({ key }) => key === origin.key);
  if (!variable) return null;
  const hint = state.facet(linksToSource) ? "Click or press Enter to go to its source." : undefined;
  const node = AboutVariable({ variable, source: origin.source, tokens: tokensOfShare(packed.preview!, variable.bytes ?? 0), hint, text: () => valueOf(packed, at) });
  const [pos, end] = [spanFrom(spans, at), spans.to[at]!];
  return { pos, end, create: (view) => ({ dom: drawn(node), getCoords: (place) => boxOf(view, place, end) }) };
}

/** A card finds room in so many pixels. */
const ROOM = 220;

/** Returns the box of a whole value, so that its card covers none of its lines; that of its first line where the value fills the preview. */
function boxOf(view: EditorView, from: number, to: number): Rect {
  const first = view.coordsAtPos(from, 1) ?? view.coordsAtPos(view.viewport.from)!;
  const last = view.coordsAtPos(to, -1);
  if (!last || (innerHeight - last.bottom < ROOM && first.top < ROOM)) return first;
  return { ...first, left: first.left, right: first.right, top: first.top, bottom: Math.max(first.bottom, last.bottom) };
}

/** Returns the whole value that a span shows. */
function valueOf({ preview }: Packed, at: number): string {
  return preview!.text.slice(spanFrom(preview!.spans, at), preview!.spans.to[at]!);
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
        EditorView.announce.of(variable ? variableDescription(variable, tokensOfShare(packed.preview!, variable.bytes ?? 0)) : ""),
      ],
    });
    return true;
  };
}

/** Copies the value that is described, where nothing is selected. */
const copyValue: Command = (view) => {
  const { packed, current: at } = view.state.field(shown);
  if (!packed || at < 0 || !view.state.selection.main.empty) return false;
  void copy(valueOf(packed, at), "Value");
  return true;
};

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

/** More marks than this are not drawn. */
const MOST_MISSING = 500;

const VARIABLE = KINDS.indexOf("variable");

/** The place of a value that was not found. It is drawn and is no text of the prompt. */
class Missing extends WidgetType {
  constructor(
    private readonly key: string,
    private readonly token: number,
    private readonly hooks: PreviewHooks | null,
  ) {
    super();
  }

  override eq(other: Missing): boolean {
    return other.key === this.key && other.token === this.token;
  }

  override toDOM(): HTMLElement {
    const mark = document.createElement(this.hooks ? "button" : "span");
    mark.className = "missing";
    mark.textContent = `∅ ${escaped(head(this.key, 60))}`;
    mark.title = "Not found: nothing is in the prompt here.";
    if (this.hooks) {
      mark.title += " Click to go to the tag.";
      mark.addEventListener("click", () => this.hooks?.goToTag(this.token));
    }
    return mark;
  }
}

/** Marks the places of tags that were reached and whose variable does not exist. */
function missing(packed: Packed | null, hooks: PreviewHooks | null): DecorationSet {
  if (!packed?.preview) return Decoration.none;
  const { tokens, keys, variables, preview } = packed;
  const gone = new Set(variables.filter(({ exists }) => exists === false).map(({ key }) => key));
  if (gone.size === 0) return Decoration.none;
  const { spans } = preview;
  const marks = [];
  let span = 0;
  for (let at = 0; at < tokens.count && marks.length < MOST_MISSING; at++) {
    const key = tokens.key[at]! < 0 ? "" : keys[tokens.key[at]!]!;
    if (tokens.kind[at] !== VARIABLE || tokens.dead[at] || !gone.has(key)) continue;
    // Its place is before the first run that a later tag or text has written.
    while (span < spans.count && spans.source[span]! < tokens.from[at]!) span++;
    const place = span < spans.count ? spanFrom(spans, span) : preview.text.length;
    marks.push(Decoration.widget({ widget: new Missing(key, at, hooks), side: 1 }).range(place));
  }
  return Decoration.set(marks, true);
}

function extensions(hooks: PreviewHooks): Extension {
  return [
    EditorState.lineSeparator.of("\n"),
    meta.nonce ? EditorView.cspNonce.of(meta.nonce) : [],
    EditorState.readOnly.of(true),
    EditorView.editable.of(false),
    EditorView.contentAttributes.of({ "aria-label": "Preview", tabindex: "0" }),
    EditorView.lineWrapping,
    highlightSpecialChars(),
    selectsWhole(),
    placeholder("Empty: no system prompt is sent."),
    lineDirections(),
    shown,
    described(hooks),
  ];
}

/** Colors and describes the values. Without hooks, nothing leads to the template. */
function described(hooks: PreviewHooks | null): Extension {
  const goCurrent: Command = (view) => {
    const { current: at } = view.state.field(shown);
    if (at >= 0) hooks?.go(at, 0);
    return at >= 0;
  };
  return [
    linksToSource.of(hooks !== null),
    spansInSight,
    EditorView.decorations.compute([shown], (state) => missing(state.field(shown).packed, hooks)),
    hoverTooltip((view, place, side) => {
      const { packed, current: now } = view.state.field(shown);
      const at = valueAt(view, side < 0 && place > 0 ? place - 1 : place);
      return packed && at >= 0 && at !== now ? tooltip(view.state, packed, at) : null;
    }, {
      hoverTime: 200,
      // The card of the current span stays; a second one over it would be the same.
      hideOn: ({ effects }) => effects.some((effect) => effect.is(current)),
    }),
    EditorView.domEventHandlers({
      click: (event, view) => {
        if ((event.target as Element).closest(".missing")) return false;
        // A selection of text is not a click.
        if (!view.state.selection.main.empty || !getSelection()?.isCollapsed) return false;
        const place = view.posAtCoords({ x: event.clientX, y: event.clientY });
        if (!hooks) {
          if (place !== null) view.dispatch({ effects: current.of(valueAt(view, place)) });
          return false;
        }
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
      { key: "Mod-c", run: copyValue },
      { key: "Escape", run: close },
    ]),
  ];
}
