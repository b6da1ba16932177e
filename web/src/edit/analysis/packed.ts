// An analysis as the page keeps it: long lists are columns of numbers, so that a megabyte of template costs no objects and goes
// from the worker to the page without being copied. All places are UTF-16 units, which is what an editor counts in.
import type { Note, TokenKind, UsedVariable } from "../../api/types";

export const KINDS: readonly TokenKind[] = [
  "text",
  "raw-text",
  "variable",
  "if",
  "if-not",
  "elif",
  "elif-not",
  "else",
  "endif",
  "each",
  "endeach",
  "raw",
  "endraw",
  "literal",
];

/** Whether the branch behind a condition is taken. */
export const TAKEN = { unknown: 0, yes: 1, no: 2 } as const;

export interface Tokens {
  count: number;
  /** Places in `KINDS`. */
  kind: Uint8Array;
  from: Uint32Array;
  to: Uint32Array;
  /** A place in `keys`; -1 for none. */
  key: Int32Array;
  /** 1 in a branch that is not taken. */
  dead: Uint8Array;
  /** Of conditions: see `TAKEN`. */
  taken: Uint8Array;
}

export interface Spans {
  count: number;
  /** Their ends in the preview; each begins where the one before ends. */
  to: Uint32Array;
  /** The token that wrote it; -1 where that is not known. */
  token: Int32Array;
  /** 1 for the value of a variable. */
  value: Uint8Array;
  /** Its origin, a place in `origins`; -1 for text of the template. */
  origin: Int32Array;
  /** Where in the template it begins; for a value, its tag. */
  source: Uint32Array;
}

/** A run of the preview of which all bytes last as long as each other. */
export interface Run {
  stability: "static" | "conversation" | "turn";
  from: number;
  to: number;
  bytes: number;
  /** The keys in it, a few of them. */
  keys: string[];
}

export interface PackedPart {
  section: string;
  from: number;
  to: number;
  bytes: number;
  tokens: number;
  stability: "static" | "conversation" | "turn";
}

export interface PackedPreview {
  text: string;
  bytes: number;
  tokens: number;
  counter: string;
  /** False if the tokens are estimated. */
  exact: boolean;
  /** The fewest tokens of a beginning that the model's service caches. */
  cacheMinimum: number;
  fingerprint: string;
  parts: PackedPart[];
  runs: Run[];
  spans: Spans;
}

export type Variable = Omit<UsedVariable, "tokens">;

export interface Packed {
  /** How long the template was. */
  length: number;
  tokens: Tokens;
  keys: string[];
  origins: { key: string; source: string }[];
  notes: Note[];
  /** How many findings there are besides. */
  notesLeft: number;
  variables: Variable[];
  /** True where `[raw]` blocks keep what they hold. */
  raw: boolean;
  preview: PackedPreview | null;
}

/** Returns the token that holds a place; the one that begins there where two meet. */
export function tokenAt(tokens: Tokens, place: number): number {
  let low = 0;
  let high = tokens.count - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (tokens.from[middle]! <= place) low = middle;
    else high = middle - 1;
  }
  return tokens.count > 0 && tokens.from[low]! <= place && place <= tokens.to[low]! ? low : -1;
}

/** Returns the span that holds a place of the preview. */
export function spanAt(spans: Spans, place: number): number {
  let low = 0;
  let high = spans.count - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (spans.to[middle]! > place) high = middle;
    else low = middle + 1;
  }
  return spans.count > 0 && place < spans.to[low]! ? low : -1;
}

export const spanFrom = (spans: Spans, at: number): number => (at === 0 ? 0 : spans.to[at - 1]!);

/** Estimates the tokens of some bytes of a preview from their share of it. */
export const tokensOfShare = ({ tokens, bytes: all }: PackedPreview, bytes: number): number => (all === 0 ? 0 : Math.round((tokens * bytes) / all));
