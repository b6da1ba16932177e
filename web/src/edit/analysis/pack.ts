// Packs an analysis (see `packed.ts`), and works out what it lacks: which text is in branches that are not taken, which
// tag wrote which run of the preview, and how long each run stays the same.
import type { Analysis, Preview, Stability, Token } from "../../api/types";
import { KINDS, TAKEN, type Packed, type PackedPreview, type Run, type Spans, type Tokens } from "./packed";

/** `template` is the text that was analyzed. */
export function pack(analysis: Analysis, template: string): Packed {
  const keys = new Interned();
  const tokens = packTokens(analysis, keys);
  const origins: Packed["origins"] = [];
  const preview = analysis.preview && packPreview(analysis.preview, analysis, tokens, keys, origins, template);
  return {
    length: template.length,
    tokens,
    keys: keys.all,
    origins,
    notes: analysis.diagnostics,
    notesLeft: analysis.left.diagnostics,
    variables: analysis.variables.map(({ tokens: _, ...variable }) => variable),
    raw: analysis.raw,
    preview,
  };
}

/** Returns what can be handed over instead of being copied. */
export function buffers({ tokens, preview }: Packed): ArrayBuffer[] {
  const columns = [tokens, preview?.spans ?? {}].flatMap((one) => Object.values(one) as unknown[]);
  return columns.flatMap((column) => (ArrayBuffer.isView(column) ? [column.buffer as ArrayBuffer] : []));
}

class Interned {
  readonly all: string[] = [];
  private readonly places = new Map<string, number>();

  place(text: string): number {
    const known = this.places.get(text);
    if (known !== undefined) return known;
    this.places.set(text, this.all.length);
    return this.all.push(text) - 1;
  }
}

function packTokens({ tokens, preview }: Analysis, keys: Interned): Tokens {
  const count = tokens.length;
  const packed: Tokens = {
    count,
    kind: new Uint8Array(count),
    from: new Uint32Array(count),
    to: new Uint32Array(count),
    key: new Int32Array(count).fill(-1),
    dead: new Uint8Array(count),
    taken: new Uint8Array(count),
  };
  for (const { token, taken } of preview?.conditions ?? []) {
    if (token < count) packed.taken[token] = taken === null ? TAKEN.unknown : taken ? TAKEN.yes : TAKEN.no;
  }
  // The blocks around a token: whether the text outside is dead, and whether each branch is.
  const blocks: { outside: boolean; taken: number }[] = [];
  let dead = false;
  for (let at = 0; at < count; at++) {
    const token = tokens[at]!;
    packed.kind[at] = KINDS.indexOf(token.kind);
    packed.from[at] = token.utf16[0];
    packed.to[at] = token.utf16[1];
    if (token.key != null) packed.key[at] = keys.place(token.key);
    const block = blocks.at(-1);
    if (token.kind === "if" || token.kind === "if-not") {
      packed.dead[at] = Number(dead);
      blocks.push({ outside: dead, taken: packed.taken[at]! });
      dead = dead || packed.taken[at] === TAKEN.no;
    } else if ((token.kind === "elif" || token.kind === "elif-not") && block) {
      packed.dead[at] = Number(block.outside);
      dead = block.outside || block.taken === TAKEN.yes || packed.taken[at] === TAKEN.no;
      if (block.taken !== TAKEN.yes) block.taken = packed.taken[at]!;
    } else if (token.kind === "else" && block) {
      packed.dead[at] = Number(block.outside);
      dead = block.outside || block.taken === TAKEN.yes;
    } else if (token.kind === "endif" && block) {
      packed.dead[at] = Number(block.outside);
      dead = block.outside;
      blocks.pop();
    } else packed.dead[at] = Number(dead);
  }
  return packed;
}

function packPreview(
  preview: Preview,
  analysis: Analysis,
  tokens: Tokens,
  keys: Interned,
  origins: Packed["origins"],
  template: string,
): PackedPreview {
  const spans = packSpans(preview, analysis.tokens, tokens, keys, origins, template);
  const lasting = new Map(analysis.variables.map(({ key, stability }) => [key, stability]));
  const ends = unitsOf(preview.text, preview.parts.map(({ range }) => range[1]));
  return {
    text: preview.text,
    bytes: preview.bytes,
    tokens: preview.tokens,
    counter: preview.counter,
    exact: !preview.counter.startsWith("estimate:"),
    cacheMinimum: preview.cache_minimum,
    fingerprint: preview.fingerprint,
    parts: preview.parts.map(({ section, range, tokens: count, stability }, at) => ({
      section,
      from: at === 0 ? 0 : ends[at - 1]!,
      to: ends[at]!,
      bytes: range[1] - range[0],
      tokens: count,
      stability,
    })),
    runs: runsOf(preview, lasting),
    spans,
  };
}

function packSpans(
  preview: Preview,
  list: readonly Token[],
  tokens: Tokens,
  keys: Interned,
  origins: Packed["origins"],
  template: string,
): Spans {
  const count = preview.spans.length;
  const packed: Spans = {
    count,
    to: new Uint32Array(count),
    token: new Int32Array(count).fill(-1),
    value: new Uint8Array(count),
    origin: new Int32Array(count).fill(-1),
    source: new Uint32Array(count),
  };
  const known = new Map<string, number>();
  let token = 0;
  for (let at = 0; at < count; at++) {
    const { utf16, origin } = preview.spans[at]!;
    packed.to[at] = utf16[1];
    if (origin.kind === "template") {
      const [start] = origin.span;
      while (token < list.length && list[token]!.range[1] <= start) token++;
      const holder = list[token];
      if (!holder) continue;
      packed.token[at] = token;
      packed.source[at] = holder.utf16[0] + unitsInto(template, holder, start - holder.range[0]);
      continue;
    }
    const key = origin.kind === "variable" ? origin.key : origin.name;
    const source = origin.kind === "variable" ? origin.source : "";
    const both = `${key}\n${source}`;
    let place = known.get(both);
    if (place === undefined) {
      place = origins.push({ key, source }) - 1;
      known.set(both, place);
    }
    packed.origin[at] = place;
    packed.value[at] = 1;
    // A value has no reference to its tag. Values come in the order of their tags, so it is the next live one with its key.
    const wanted = keys.place(key);
    const variable = KINDS.indexOf("variable");
    let next = token;
    while (next < list.length && (tokens.kind[next] !== variable || tokens.key[next] !== wanted || tokens.dead[next])) next++;
    if (next === list.length) continue;
    packed.token[at] = next;
    packed.source[at] = tokens.from[next]!;
    token = next + 1;
  }
  return packed;
}

/** How many units the first bytes of a token are. */
function unitsInto(template: string, token: Token, bytes: number): number {
  if (bytes === 0) return 0;
  const [from, to] = token.utf16;
  if (to - from === token.range[1] - token.range[0]) return bytes;
  return unitsOf(template.slice(from, to), [bytes])[0] ?? 0;
}

/** Turns places in bytes, in order, into places in units. */
function unitsOf(text: string, bytes: readonly number[]): number[] {
  const units: number[] = [];
  let unit = 0;
  let byte = 0;
  for (const wanted of bytes) {
    while (byte < wanted && unit < text.length) {
      const point = text.codePointAt(unit)!;
      byte += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
      unit += point < 0x10000 ? 1 : 2;
    }
    units.push(unit);
  }
  return units;
}

const FEW = 5;

/** Joins neighbours that last as long as each other. */
function runsOf({ spans }: Preview, lasting: ReadonlyMap<string, Stability | null>): Run[] {
  const runs: Run[] = [];
  for (const { utf16, range, origin } of spans) {
    const key = origin.kind === "variable" ? origin.key : null;
    const stability = (key !== null && lasting.get(key)) || "static";
    let run = runs.at(-1);
    if (run?.stability !== stability) {
      run = { stability, from: utf16[0], to: utf16[0], bytes: 0, keys: [] };
      runs.push(run);
    }
    run.to = utf16[1];
    run.bytes += range[1] - range[0];
    if (key !== null && run.keys.length < FEW && !run.keys.includes(key)) run.keys.push(key);
  }
  return runs;
}
