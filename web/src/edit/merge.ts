// A three-way merge of lines.
import { diff } from "@codemirror/merge";

export interface Merged {
  text: string;
  /** In so many places both sides have changed the same lines: both variants are in the text there, theirs first. */
  overlaps: number;
}

interface Hunk {
  /** Lines of the base. */
  from: number;
  to: number;
  /** The lines in their place. */
  start: number;
  end: number;
}

/** Merges what two texts have changed in a base. */
export function merge(base: string, mine: string, theirs: string): Merged {
  const [baseLines, mineLines, theirLines] = [base, mine, theirs].map((text) => text.split("\n")) as [string[], string[], string[]];
  const letters = lettersOf(baseLines, mineLines, theirLines);
  if (!letters) return { text: `${theirs}\n${mine}`, overlaps: 1 };
  const ours = hunks(letters[0]!, letters[1]!);
  const others = hunks(letters[0]!, letters[2]!);
  const out: string[] = [];
  let overlaps = 0;
  let done = 0;
  while (ours.length > 0 || others.length > 0) {
    const first = next(ours, others);
    const region = { from: first.from, to: first.to };
    const mineHere: Hunk[] = [];
    const theirsHere: Hunk[] = [];
    // A change of one side may reach over several of the other.
    for (let grew = true; grew; ) {
      grew = pull(ours, mineHere, region, first) || pull(others, theirsHere, region, first);
    }
    out.push(...baseLines.slice(done, region.from));
    done = region.to;
    const a = linesOf(mineLines, mineHere, region);
    const b = linesOf(theirLines, theirsHere, region);
    if (theirsHere.length === 0) out.push(...a);
    else if (mineHere.length === 0) out.push(...b);
    else if (includes(a, b)) out.push(...a);
    else if (includes(b, a)) out.push(...b);
    else {
      overlaps++;
      out.push(...b, ...a);
    }
  }
  out.push(...baseLines.slice(done));
  return { text: out.join("\n"), overlaps };
}

function next(ours: readonly Hunk[], others: readonly Hunk[]): Hunk {
  const [one, other] = [ours[0], others[0]];
  return !other || (one && one.from <= other.from) ? one! : other;
}

/** Moves the first hunk of a list to those of the region if it overlaps it. */
function pull(list: Hunk[], here: Hunk[], region: { from: number; to: number }, first: Hunk): boolean {
  const hunk = list[0];
  if (!hunk || (hunk !== first && !overlap(hunk, region))) return false;
  list.shift();
  here.push(hunk);
  region.from = Math.min(region.from, hunk.from);
  region.to = Math.max(region.to, hunk.to);
  return true;
}

/** Neighbouring lines may be changed by both; an insertion beside a changed line is an overlap. */
function overlap(a: { from: number; to: number }, b: { from: number; to: number }): boolean {
  if (a.from === a.to || b.from === b.to) return a.from <= b.to && b.from <= a.to;
  return a.from < b.to && b.from < a.to;
}

function linesOf(lines: readonly string[], here: readonly Hunk[], region: { from: number; to: number }): string[] {
  const [first, last] = [here[0], here[here.length - 1]];
  return first && last ? lines.slice(first.start - (first.from - region.from), last.end + (region.to - last.to)) : [];
}

/** True if the lines begin or end with the others: then both are there already. */
function includes(lines: readonly string[], others: readonly string[]): boolean {
  const at = (offset: number) => others.every((line, index) => lines[offset + index] === line);
  if (others.length === 0) return lines.length === 0;
  return others.length <= lines.length && (at(0) || at(lines.length - others.length));
}

function hunks(base: string, changed: string): Hunk[] {
  return diff(base, changed, { scanLimit: 20_000, timeout: 2_000 }).map(({ fromA, toA, fromB, toB }) => ({ from: fromA, to: toA, start: fromB, end: toB }));
}

/** The characters that are no halves of surrogate pairs. */
const MOST_LETTERS = 0xf000;

/** Each different line is a letter, so that the difference of two texts is that of two words. Null if there are too many. */
function lettersOf(...texts: readonly string[][]): string[] | null {
  const known = new Map<string, number>();
  const letter = (line: string): string => {
    let number = known.get(line);
    if (number === undefined) known.set(line, (number = known.size + 1));
    return String.fromCharCode(number < 0xd800 ? number : number + 0x800);
  };
  const words = texts.map((lines) => lines.map(letter).join(""));
  return known.size > MOST_LETTERS ? null : words;
}
