// Marks beside the line numbers: results of the conditions of a line.
import type { Extension } from "@codemirror/state";
import { GutterMarker, gutter, type EditorView } from "@codemirror/view";
import { KINDS, TAKEN } from "../analysis/packed";
import { analysed, analysisReceived } from "./analysed";

class Taken extends GutterMarker {
  constructor(private readonly taken: "yes" | "no" | "both") {
    super();
  }

  override eq(other: Taken): boolean {
    return other.taken === this.taken;
  }

  override toDOM(): Node {
    const mark = document.createElement("span");
    mark.className = `taken ${this.taken}`;
    mark.title = { yes: "Condition is true", no: "Condition is false", both: "Some conditions are true" }[this.taken];
    return mark;
  }
}

const MARKERS = { yes: new Taken("yes"), no: new Taken("no"), both: new Taken("both") };
const CONDITIONS = new Set((["if", "if-not", "elif", "elif-not"] as const).map((kind) => KINDS.indexOf(kind)));

/** What the conditions of a line come to. */
function takenOn(view: EditorView, from: number, to: number): GutterMarker | null {
  const { packed, since } = view.state.field(analysed);
  if (!packed) return null;
  const back = since.empty ? null : since.invertedDesc;
  const [first, last] = back ? [back.mapPos(from, 1), back.mapPos(to, -1)] : [from, to];
  const { tokens } = packed;
  let low = 0;
  let high = tokens.count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (tokens.from[middle]! < first) low = middle + 1;
    else high = middle;
  }
  let found: "yes" | "no" | "both" | null = null;
  for (let at = low; at < tokens.count && tokens.from[at]! <= last; at++) {
    if (!CONDITIONS.has(tokens.kind[at]!) || tokens.dead[at] || tokens.taken[at] === TAKEN.unknown) continue;
    const taken = tokens.taken[at] === TAKEN.yes ? "yes" : "no";
    found = found === null || found === taken ? taken : "both";
  }
  return found && MARKERS[found];
}

export function conditionGutter(): Extension {
  return gutter({
    class: "cm-taken",
    lineMarker: (view, line) => takenOn(view, line.from, line.to),
    lineMarkerChange: (update) =>
      update.docChanged || update.transactions.some(({ effects }) => effects.some((effect) => effect.is(analysisReceived))),
  });
}
