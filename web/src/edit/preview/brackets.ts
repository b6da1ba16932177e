// Brackets in the margin of the preview: what came from one file or variable, with its name, size, tokens and stability. Long values have a row
// above them that folds them. Loaded beside the preview.
import "../../shell"; // Part of the first load already; the import keeps that in one chunk.
import { StateEffect, StateField, type EditorState, type Extension } from "@codemirror/state";
import { Decoration, EditorView, GutterMarker, WidgetType, gutter, keymap, type BlockInfo, type Command, type DecorationSet } from "@codemirror/view";
import { amount, size, tokenAmount } from "../../amount";
import type { Stability } from "../../api/types";
import { escaped, head } from "../../shown";
import { spanAt, spanFrom, tokensOfShare, type Packed } from "../analysis/packed";
import { LASTS } from "../context";
import { shown } from "./viewer";

/** A long value. */
interface Bracket extends About {
  /** The key, and how many values of it are before. */
  id: string;
  /** The index of its span. */
  span: number;
  from: number;
  /** Without the line ends behind it. */
  to: number;
}

interface About {
  name: string;
  measure: string;
  stability: Stability;
}

interface Brackets {
  all: readonly Bracket[];
  folded: ReadonlySet<string>;
}

/** A value of one line that has at least so many characters is long, too. */
const LONG = 240;
/** More long values than this have no row. */
const MOST = 500;
/** Of a line, so many values are described in the margin. */
const MOST_OF_LINE = 6;

const fold = StateEffect.define<string>();

const field = StateField.define<Brackets>({
  create: (state) => ({ all: longValues(state), folded: new Set() }),
  update(value, { effects, startState, state }) {
    let { all, folded } = value;
    for (const effect of effects) if (effect.is(fold)) folded = turned(folded, effect.value);
    if (startState.field(shown).packed !== state.field(shown).packed) all = longValues(state);
    return all === value.all && folded === value.folded ? value : { all, folded };
  },
});

function turned(folded: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(folded);
  if (!next.delete(id)) next.add(id);
  return next;
}

/** Returns the long values of the preview, in order. */
function longValues(state: EditorState): Bracket[] {
  const { packed } = state.field(shown);
  const spans = packed?.preview?.spans;
  const all: Bracket[] = [];
  if (!packed || !spans) return all;
  const before = new Map<number, number>();
  for (let span = 0; span < spans.count && all.length < MOST; span++) {
    if (!spans.value[span]) continue;
    const origin = spans.origin[span]!;
    const nth = before.get(origin) ?? 0;
    before.set(origin, nth + 1);
    const [from, end] = [spanFrom(spans, span), spans.to[span]!];
    const text = packed.preview!.text.slice(from, end).replace(/\n+$/, "");
    if (text.length < LONG && !text.includes("\n")) continue;
    all.push({ ...aboutSpan(packed, span), id: `${packed.origins[origin]!.key}\n${nth}`, span, from, to: from + text.length });
  }
  return all;
}

/** Returns name, size, tokens and stability of a value. */
function aboutSpan({ preview, origins, variables }: Packed, span: number): About {
  const { key } = origins[preview!.spans.origin[span]!]!;
  const variable = variables.find((one) => one.key === key);
  const bytes = variable?.bytes ?? new TextEncoder().encode(preview!.text.slice(spanFrom(preview!.spans, span), preview!.spans.to[span]!)).length;
  return {
    name: escaped(head(key, 60)),
    measure: `${size(bytes)}, ${tokenAmount(tokensOfShare(preview!, bytes), false)}`,
    stability: variable?.stability ?? "static",
  };
}

const words = ({ name, measure, stability }: About): string => `${name}: ${measure}, ${LASTS[stability]}`;

const toggle = (view: EditorView, id: string): void => view.dispatch({ effects: fold.of(id) });

/** The row above a long value. */
class Row extends WidgetType {
  constructor(
    private readonly bracket: Bracket,
    private readonly isFolded: boolean,
  ) {
    super();
  }

  get stability(): Stability {
    return this.bracket.stability;
  }

  override get estimatedHeight(): number {
    return 28;
  }

  override eq(other: Row): boolean {
    return other.bracket.id === this.bracket.id && other.isFolded === this.isFolded && words(other.bracket) === words(this.bracket);
  }

  override toDOM(view: EditorView): HTMLElement {
    const { id, name, measure, stability } = this.bracket;
    const row = document.createElement("div");
    row.className = "origin-row";
    const button = row.appendChild(document.createElement("button"));
    button.type = "button";
    button.ariaExpanded = String(!this.isFolded);
    button.title = this.isFolded ? "Unfold" : "Fold";
    const parts = [
      ["origin-fold", this.isFolded ? "▸" : "▾"],
      ["origin-name", name],
      ["origin-measure", measure],
      [`pill ${stability}`, LASTS[stability]],
    ] as const;
    for (const [part, text] of parts) {
      const span = button.appendChild(document.createElement("span"));
      span.className = part;
      span.textContent = text;
      if (part === "origin-fold") span.ariaHidden = "true";
      if (part === "origin-name") span.title = name;
      button.append(" ");
    }
    button.addEventListener("click", () => {
      toggle(view, id);
      // The row is drawn anew.
      const again = [...view.contentDOM.querySelectorAll<HTMLElement>(".origin-row button")].find((one) => one.dataset.id === id);
      again?.focus();
    });
    button.dataset.id = id;
    return row;
  }
}

/** What is shown of a folded value. */
class Folded extends WidgetType {
  constructor(
    private readonly id: string,
    private readonly lines: number,
    private readonly look: string,
  ) {
    super();
  }

  override eq(other: Folded): boolean {
    return other.id === this.id && other.lines === this.lines && other.look === this.look;
  }

  override toDOM(view: EditorView): HTMLElement {
    const mark = document.createElement("span");
    mark.className = `folded value ${this.look}`;
    mark.textContent = `⋯ ${amount(this.lines, "line")}`;
    mark.title = "Unfold";
    mark.addEventListener("click", () => toggle(view, this.id));
    return mark;
  }
}

function decorations(state: EditorState): DecorationSet {
  const { all, folded } = state.field(field);
  const at = state.field(shown).current;
  return Decoration.set(
    all.flatMap((bracket) => {
      const { id, span, from, to, stability } = bracket;
      const isFolded = folded.has(id);
      const first = state.doc.lineAt(from);
      const row = Decoration.widget({ widget: new Row(bracket, isFolded), block: true, side: -1 }).range(first.from);
      if (!isFolded) return [row];
      const lines = state.doc.lineAt(to).number - first.number + 1;
      return [row, Decoration.replace({ widget: new Folded(id, lines, `lasts-${stability}${span === at ? " current" : ""}`) }).range(from, to)];
    }),
    true,
  );
}

class Mark extends GutterMarker {
  constructor(
    private readonly look: string,
    private readonly title: string,
  ) {
    super();
  }

  override eq(other: Mark): boolean {
    return other.look === this.look && other.title === this.title;
  }

  override toDOM(): HTMLElement {
    const mark = document.createElement("span");
    mark.className = `origin-mark ${this.look}`;
    mark.title = this.title;
    return mark;
  }
}

/** Returns the index of the last long value that begins at or before a place; -1 for none. */
function lastBefore(all: readonly Bracket[], place: number): number {
  let low = 0;
  let high = all.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (all[middle]!.from <= place) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The long value that has a part of a line; the last one where there are several. */
function longAt(state: EditorState, line: { from: number; to: number }): Bracket | null {
  const { all } = state.field(field);
  const found = all[lastBefore(all, line.to)];
  return found && found.to > line.from ? found : null;
}

function markOf(view: EditorView, line: BlockInfo): GutterMarker | null {
  const { state } = view;
  const long = longAt(state, line);
  if (long) {
    const isEnd = long.to <= line.to;
    return new Mark(`lasts-${long.stability} ${isEnd ? "end" : "middle"}`, words(long));
  }
  const { packed } = state.field(shown);
  const spans = packed?.preview?.spans;
  if (!packed || !spans) return null;
  const found: About[] = [];
  let more = 0;
  for (let span = Math.max(0, spanAt(spans, line.from)); span < spans.count && spanFrom(spans, span) < line.to && more < MOST_OF_LINE; span++) {
    if (!spans.value[span] || spans.to[span]! <= line.from) continue;
    if (found.length < MOST_OF_LINE) found.push(aboutSpan(packed, span));
    else more++;
  }
  if (found.length === 0) return null;
  const order: readonly Stability[] = ["static", "conversation", "turn"];
  const least = order[Math.max(...found.map(({ stability }) => order.indexOf(stability)))]!;
  return new Mark(`lasts-${least} whole`, [...found.map(words), ...(more > 0 ? ["…"] : [])].join("\n"));
}

const toggleCurrent: Command = (view) => {
  const { current: at } = view.state.field(shown);
  const { all, folded } = view.state.field(field);
  const bracket = all.find(({ span }) => span === at);
  if (!bracket) return false;
  toggle(view, bracket.id);
  view.dispatch({ effects: EditorView.announce.of(`${bracket.name} ${folded.has(bracket.id) ? "unfolded" : "folded"}.`) });
  return true;
};

export function brackets(): Extension {
  return [
    field,
    EditorView.decorations.compute([field, shown], decorations),
    gutter({
      class: "origin-gutter",
      lineMarker: markOf,
      widgetMarker: (_, widget) => (widget instanceof Row ? new Mark(`lasts-${widget.stability} begin`, "") : null),
      lineMarkerChange: ({ startState, state }) => startState.field(field) !== state.field(field) || startState.field(shown).packed !== state.field(shown).packed,
      domEventHandlers: {
        click: (view, line) => {
          const long = longAt(view.state, line);
          if (long) toggle(view, long.id);
          return long !== null;
        },
      },
    }),
    keymap.of([{ key: "Space", run: toggleCurrent }]),
  ];
}
