// The layout of a prompt: its spans with their origins, its parts, and their positions in the text. The service counts bytes of
// UTF-8; the page counts units of UTF-16.
import type { ExplainReply, Origin, Stability } from "../api/types";
import type { PackedPart, Run } from "../edit/analysis/packed";

export interface LaidRun {
  from: number;
  to: number;
  bytes: number;
  origin: Origin;
  /** The index of its part. */
  part: number;
  /** The stability of its bytes; written text is always static. */
  stability: Stability;
}

export interface Laid {
  text: string;
  bytes: number;
  tokens: number;
  counter: string;
  /** False if the tokens are estimated. */
  exact: boolean;
  runs: LaidRun[];
  parts: PackedPart[];
}

/** Returns the layout of a stored prompt. */
export function laid({ document, variables }: Pick<ExplainReply, "document" | "variables">): Laid {
  const { text, tokens } = document;
  const lasts = new Map(variables.map(({ variable, stability }) => [variable, stability]));
  const ranges = document.parts.flatMap(({ range, spans }) => [range, ...spans.map((span) => span.range)]);
  const place = places(text, ranges.flat());
  const parts: PackedPart[] = [];
  const runs: LaidRun[] = [];
  for (const [part, { section, range, tokens: count, stability, spans }] of document.parts.entries()) {
    parts.push({ section, from: place(range[0]), to: place(range[1]), bytes: range[1] - range[0], tokens: count, stability });
    for (const { range: [from, to], origin } of spans) {
      const own = origin.kind === "variable" ? (lasts.get(origin.key) ?? stability) : origin.kind === "hook" ? stability : "static";
      runs.push({ from: place(from), to: place(to), bytes: to - from, origin, part, stability: own });
    }
  }
  return { text, bytes: ranges.reduce((most, [, to]) => Math.max(most, to), 0), tokens: tokens.count, counter: tokens.counter, exact: tokens.exact, runs, parts };
}

/** Returns the last run that begins at or before a position; -1 if none does. */
export function runAt(runs: readonly LaidRun[], place: number): number {
  let low = 0;
  let high = runs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (runs[middle]!.from <= place) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Joins adjacent runs of the same stability. */
export function cacheRuns({ runs }: Laid): Run[] {
  const joined: Run[] = [];
  for (const { from, to, bytes, stability, origin } of runs) {
    let last = joined.at(-1);
    if (!last || last.stability !== stability) joined.push((last = { stability, from, to, bytes: 0, keys: [] }));
    last.to = to;
    last.bytes += bytes;
    if (origin.kind === "variable" && last.keys.length < 4 && !last.keys.includes(origin.key)) last.keys.push(origin.key);
  }
  return joined;
}

/** Returns a function from byte offsets to positions in the text; the text is read once. */
function places(text: string, wanted: readonly number[]): (bytes: number) => number {
  const found = new Map<number, number>();
  let at = 0;
  let bytes = 0;
  for (const target of [...new Set(wanted)].sort((a, b) => a - b)) {
    while (bytes < target && at < text.length) {
      const unit = text.charCodeAt(at);
      const pair = unit >= 0xd800 && unit < 0xdc00 && at + 1 < text.length;
      bytes += unit < 0x80 ? 1 : unit < 0x800 ? 2 : pair ? 4 : 3;
      at += pair ? 2 : 1;
    }
    found.set(target, at);
  }
  return (count) => found.get(count) ?? text.length;
}
