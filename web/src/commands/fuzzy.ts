// Finds what was typed in a text: its characters in their order, with any others between them.

export interface FuzzyMatch {
  /** Higher is better. */
  score: number;
  /** The places of the characters in the text. */
  places: readonly number[];
}

const STARTS_WORD = 8;
const FOLLOWS = 5;
const IS_FIRST = 6;

/** Matches a text; null if a character of the query is missing. Blanks of the query match nothing and anything. */
export function fuzzy(query: string, text: string): FuzzyMatch | null {
  const wanted = query.toLowerCase().replace(/\s+/g, "");
  const lower = text.toLowerCase();
  if (wanted === "") return { score: 0, places: [] };
  // A run of characters at the start of a word is what people mean most of the time.
  const whole = wordStart(lower, query.trim().toLowerCase());
  const starts = [...lower].flatMap((_, at) => (lower[at] === wanted[0] ? [at] : []));
  const found = [...(whole === null ? [] : [whole]), ...starts.map((at) => from(wanted, lower, at))];
  return found.reduce<FuzzyMatch | null>((best, one) => (one && (!best || one.score > best.score) ? one : best), null);
}

function wordStart(lower: string, words: string): FuzzyMatch | null {
  for (let at = lower.indexOf(words); at >= 0; at = lower.indexOf(words, at + 1)) {
    if (!startsWord(lower, at)) continue;
    return scored(lower, Array.from({ length: words.length }, (_, n) => at + n));
  }
  return null;
}

function from(wanted: string, lower: string, start: number): FuzzyMatch | null {
  const places: number[] = [];
  let at = start;
  for (const character of wanted) {
    const next = lower.indexOf(character, at);
    if (next < 0) return null;
    // The start of a later word is preferred where the characters do not follow each other.
    const later = next === at && places.length > 0 ? next : wordWith(lower, character, at) ?? next;
    places.push(places.length === 0 ? next : rest(wanted, lower, places.length + 1, later) ? later : next);
    at = places.at(-1)! + 1;
  }
  return scored(lower, places);
}

/** True if the characters from `index` on can still be found behind a place. */
function rest(wanted: string, lower: string, index: number, place: number): boolean {
  let at = place + 1;
  for (const character of wanted.slice(index)) {
    at = lower.indexOf(character, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

function wordWith(lower: string, character: string, from: number): number | null {
  for (let at = lower.indexOf(character, from); at >= 0; at = lower.indexOf(character, at + 1)) if (startsWord(lower, at)) return at;
  return null;
}

const startsWord = (text: string, at: number): boolean => at === 0 || /[^\p{L}\p{N}]/u.test(text[at - 1]!);

function scored(lower: string, places: readonly number[]): FuzzyMatch {
  let score = places[0] === 0 ? IS_FIRST : 0;
  places.forEach((at, n) => {
    score += 1 + (startsWord(lower, at) ? STARTS_WORD : 0) + (n > 0 && places[n - 1] === at - 1 ? FOLLOWS : 0);
  });
  const gap = places.at(-1)! - places[0]! + 1 - places.length;
  return { score: score - gap / 4 - lower.length / 100, places };
}
