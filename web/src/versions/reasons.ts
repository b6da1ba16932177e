// The reasons of the changes between two built prompts: what the bytes that differ were made of, and why that differs.
import { diff, type Chunk } from "@codemirror/merge";
import { spanAt, spanFrom, KINDS, type Packed, type PackedPreview, type Variable } from "../edit/analysis/packed";

/** Large differences are computed approximately. */
export const DIFF = { scanLimit: 2_000, timeout: 600 };

/** One side of a comparison. */
export interface Built {
  /** What the template is called, such as `version 2`. */
  name: string;
  template: string;
  packed: Packed;
  preview: PackedPreview;
}

/** The first and the last line of a run of a template. */
export type Lines = readonly [first: number, last: number];

export type Reason =
  | { kind: "variable"; key: string; from: Variable; to: Variable }
  /** Whether the first branch of a condition is included. */
  | { kind: "condition"; key: string; negated: boolean; from: boolean; to: boolean }
  /** The template itself differs; null where one side has nothing of it. */
  | { kind: "template"; from: Lines | null; to: Lines | null }
  /** Something that the profile adds. */
  | { kind: "profile"; name: string };

/** The changed lines of a diff, with the changes in them. */
export type Change = Pick<Chunk, "changes" | "fromA" | "endA" | "fromB" | "endB">;

const SIDES = ["from", "to"] as const;
type SideName = (typeof SIDES)[number];

/** Returns what finds the reasons of a change. */
export function reasonsOf(left: Built, right: Built): (change: Change) => Reason[] {
  const changed = left.template === right.template ? [] : diff(left.template, right.template, DIFF);
  const from = new Half(left, changed.map(({ fromA, toA }) => [fromA, toA]));
  const to = new Half(right, changed.map(({ fromB, toB }) => [fromB, toB]));
  return (change) => {
    const { changes, fromA, endA, fromB, endB } = change;
    const whole = { fromA: 0, toA: endA - fromA, fromB: 0, toB: endB - fromB };
    const found = new Reasons(from, to);
    // A line that is not included takes its line end along: then the rest of the line has the reason.
    for (const pieces of [changes, [whole]]) {
      for (const piece of pieces) {
        found.look("from", fromA + piece.fromA, fromA + piece.toA);
        found.look("to", fromB + piece.fromB, fromB + piece.toB);
      }
      if (!found.none) return found.all;
    }
    return found.anything();
  };
}

/** A side, with what is looked up in it. */
class Half {
  readonly variables: ReadonlyMap<string, Variable>;
  /** For each token the condition around it; -1 for none. */
  readonly around: Int32Array;
  private readonly lineStarts: number[] = [0];

  constructor(
    readonly built: Built,
    /** The runs of the template that the other one does not have. */
    private readonly changed: readonly (readonly [number, number])[],
  ) {
    const { packed, template } = built;
    this.variables = new Map(packed.variables.map((one) => [one.key, one]));
    this.around = around(packed);
    for (let at = template.indexOf("\n"); at >= 0; at = template.indexOf("\n", at + 1)) this.lineStarts.push(at + 1);
  }

  isChanged(from: number, to: number): boolean {
    return this.changed.some(([start, end]) => start < to && from < end);
  }

  lines(from: number, to: number): Lines {
    const line = (place: number) => {
      const next = this.lineStarts.findIndex((start) => start > place);
      return next < 0 ? this.lineStarts.length : next;
    };
    return [line(from), line(Math.max(from, to - 1))];
  }

  /** Returns the text of the first place where a variable is included. */
  valueOf(key: string): string | null {
    const { packed, preview } = this.built;
    const at = preview.spans.origin.findIndex((origin) => origin >= 0 && packed.origins[origin]!.key === key);
    return at < 0 ? null : preview.text.slice(spanFrom(preview.spans, at), preview.spans.to[at]!);
  }
}

class Reasons {
  private readonly found = new Map<string, Reason>();

  constructor(
    private readonly from: Half,
    private readonly to: Half,
  ) {}

  get none(): boolean {
    return this.found.size === 0;
  }

  get all(): Reason[] {
    return [...this.found.values()];
  }

  /** Looks for the reasons of a run of one side. */
  look(side: SideName, from: number, to: number): void {
    const { packed, preview } = this[side].built;
    const { spans } = preview;
    for (let at = from < to ? spanAt(spans, from) : -1; at >= 0 && at < spans.count && spanFrom(spans, at) < to; at++) {
      const [start, end] = [Math.max(from, spanFrom(spans, at)), Math.min(to, spans.to[at]!)];
      const token = spans.token[at]!;
      if (this.condition(side, token)) continue;
      if (!spans.value[at]) {
        const source = spans.source[at]! - spanFrom(spans, at);
        this.template(side, source + start, source + end);
        continue;
      }
      const { key } = packed.origins[spans.origin[at]!]!;
      if (!this[side].variables.has(key)) this.found.set(`profile ${key}`, { kind: "profile", name: key });
      else if (!this.variable(key) && token >= 0) this.template(side, packed.tokens.from[token]!, packed.tokens.to[token]!);
    }
  }

  /** Returns what differs anywhere, where the runs that differ give no reason. */
  anything(): Reason[] {
    const { from, to } = this;
    for (const key of from.variables.keys()) this.variable(key);
    const [left, right] = [from.built.template, to.built.template];
    if (this.none && left !== right) this.found.set("template", { kind: "template", from: from.lines(0, left.length), to: to.lines(0, right.length) });
    return this.all;
  }

  /** Adds the outermost condition around a token that is not met alike; false if there is none. */
  private condition(side: SideName, token: number): boolean {
    const { around, built } = this[side];
    const { tokens, keys } = built.packed;
    let found = -1;
    for (let at = token < 0 ? -1 : around[token]!; at >= 0; at = around[at]!) {
      const key = keys[tokens.key[at]!]!;
      const [left, right] = SIDES.map((one) => this[one].variables.get(key)?.exists ?? null);
      if (left !== null && right !== null && left !== right) found = at;
    }
    if (found < 0) return false;
    const key = keys[tokens.key[found]!]!;
    const negated = tokens.kind[found] === KINDS.indexOf("if-not");
    const [from, to] = SIDES.map((one) => this[one].variables.get(key)!.exists !== negated);
    this.found.set(`condition ${negated} ${key}`, { kind: "condition", key, negated, from: from!, to: to! });
    return true;
  }

  /** Adds a variable, if both sides use it with different values. */
  private variable(key: string): boolean {
    const [from, to] = [this.from.variables.get(key), this.to.variables.get(key)];
    if (!from || !to || from.exists === null || to.exists === null) return false;
    const cut = from.cut && to.cut && this.from.valueOf(key) !== this.to.valueOf(key);
    if (from.exists === to.exists && from.value === to.value && from.bytes === to.bytes && !cut) return false;
    this.found.set(`variable ${key}`, { kind: "variable", key, from, to });
    return true;
  }

  /** Adds a run of a template, if the other template does not have it. */
  private template(side: SideName, from: number, to: number): void {
    const half = this[side];
    if (!half.isChanged(from, to)) return;
    const earlier = this.found.get("template");
    const reason: Reason & { kind: "template" } = earlier?.kind === "template" ? earlier : { kind: "template", from: null, to: null };
    const [first, last] = half.lines(from, to);
    const known = reason[side];
    this.found.set("template", { ...reason, [side]: known ? [Math.min(known[0], first), Math.max(known[1], last)] : [first, last] });
  }
}

/** Returns for each token the condition around it; that of an `[if]` is around its block. */
function around({ tokens }: Packed): Int32Array {
  const found = new Int32Array(tokens.count).fill(-1);
  const open: number[] = [];
  for (let at = 0; at < tokens.count; at++) {
    const kind = KINDS[tokens.kind[at]!];
    if (kind === "endif") open.pop();
    found[at] = open.at(-1) ?? -1;
    if (kind === "if" || kind === "if-not") open.push(at);
  }
  return found;
}
