// Colours the part of the text that is in sight: tags by what they are and how long their values last, and text in branches that
// are not taken. The analysis comes from the service; lines that were changed since are read by the small grammar until the next one.
import { RangeSetBuilder, type Extension } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin, type DecorationSet, type ViewUpdate } from "@codemirror/view";
import { stabilityOf, variables } from "../context";
import { KINDS, type Packed } from "../analysis/packed";
import { analysed, analysisReceived, changedInside, type Analysed } from "./analysed";
import { tagsOf } from "./grammar";

const LONGEST_LINE = 4_000;
/** The most changed places that are read again; with more, the colors wait for the next analysis. */
const MOST_TOUCHED = 20;

const NOTHING = { lasts: null, absent: false };

interface Mark {
  from: number;
  to: number;
  class: string;
}

const made = new Map<string, Decoration>();

function mark(name: string): Decoration {
  let decoration = made.get(name);
  if (!decoration) {
    decoration = Decoration.mark({ class: name });
    made.set(name, decoration);
  }
  return decoration;
}

/** The class of a tag, for the page's style and for its tests. */
export function tagClass(kind: string, lasts: string | null, state: "" | "dead" | "absent"): string {
  const colour = kind === "variable" ? ` lasts-${lasts ?? "unknown"}` : "";
  return `tag tag-${kind}${colour}${state && ` ${state}`}`;
}

function build(view: EditorView): DecorationSet {
  const state = view.state.field(analysed);
  const marks: Mark[] = [];
  for (const { from, to } of view.visibleRanges) {
    if (state.packed) fromTokens(state, state.packed, from, to, marks);
  }
  if (state.touched || !state.packed) fromGrammar(view, state, marks);
  marks.sort((one, other) => one.from - other.from || one.to - other.to);
  const builder = new RangeSetBuilder<Decoration>();
  let end = 0;
  for (const { from, to, class: name } of marks) {
    if (from < end || from >= to) continue;
    builder.add(from, to, mark(name));
    end = to;
  }
  return builder.finish();
}

function fromTokens({ since, touched }: Analysed, packed: Packed, from: number, to: number, marks: Mark[]): void {
  const { tokens, keys, variables: used } = packed;
  const back = touched ? since.invertedDesc : null;
  const first = back ? back.mapPos(from, -1) : from;
  const last = back ? back.mapPos(to, 1) : to;
  const seen = new Map<string, { lasts: string | null; absent: boolean }>();
  const about = (key: string) => {
    let known = seen.get(key);
    if (!known) {
      const one = used.find((variable) => variable.key === key);
      const lasts = one ? (one.registered || one.exists ? one.stability : null) : stabilityOf(key);
      known = { lasts, absent: one?.registered === true && one.exists === false };
      seen.set(key, known);
    }
    return known;
  };
  for (let at = firstFrom(packed, first); at < tokens.count && tokens.from[at]! < last; at++) {
    const kind = KINDS[tokens.kind[at]!]!;
    const dead = tokens.dead[at] === 1;
    if (kind === "text" && !dead) continue;
    let start = tokens.from[at]!;
    let end = tokens.to[at]!;
    if (touched) {
      if (kind !== "text" && kind !== "raw-text" && changedInside(since, start, end)) continue;
      start = since.mapPos(start, 1);
      end = since.mapPos(end, -1);
    }
    const key = tokens.key[at]! >= 0 ? keys[tokens.key[at]!]! : null;
    const { lasts, absent } = key === null || kind !== "variable" ? NOTHING : about(key);
    const name = kind === "text" ? "dead" : tagClass(kind, lasts, dead ? "dead" : absent ? "absent" : "");
    // What is out of sight is not drawn: one token may be a megabyte.
    marks.push({ from: Math.max(start, from), to: Math.min(end, to), class: name });
  }
}

function firstFrom({ tokens }: Packed, place: number): number {
  let low = 0;
  let high = tokens.count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (tokens.to[middle]! <= place) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Reads the lines that changed. What the analysis still knows about wins. */
function fromGrammar(view: EditorView, { since, packed }: Analysed, marks: Mark[]): void {
  const known = marks.filter(({ class: name }) => name.startsWith("tag"));
  const { doc } = view.state;
  const seen = new Set<number>();
  let read = 0;
  const look = (from: number, to: number) => {
    if (read++ > MOST_TOUCHED) return;
    for (let line = doc.lineAt(from); line.from <= to; line = doc.line(line.number + 1)) {
      if (!seen.has(line.number) && line.length <= LONGEST_LINE) {
        seen.add(line.number);
        for (const tag of tagsOf(line.text)) {
          const [start, end] = [line.from + tag.from, line.from + tag.to];
          if (known.some((one) => one.from < end && one.to > start)) continue;
          const lasts = tag.key === undefined ? null : stabilityOf(tag.key);
          marks.push({ from: start, to: end, class: tagClass(tag.kind, lasts, "") });
        }
      }
      if (line.number === doc.lines) break;
    }
  };
  if (packed) since.iterChangedRanges((_, __, from, to) => look(from, Math.min(to, view.viewport.to)));
  else for (const { from, to } of view.visibleRanges) look(from, to);
}

export function colours(): Extension {
  return ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;
      private list = variables.peek();

      constructor(view: EditorView) {
        this.decorations = build(view);
      }

      update(update: ViewUpdate): void {
        const received = update.transactions.some(({ effects }) => effects.some((effect) => effect.is(analysisReceived)));
        const listed = this.list !== variables.peek();
        this.list = variables.peek();
        if (update.docChanged || update.viewportChanged || received || listed) this.decorations = build(update.view);
      }
    },
    { decorations: (plugin) => plugin.decorations },
  );
}
