// Halves of characters: surrogates without their other half, as cut JSON leaves them. No text in UTF-8 can have one.
import type { Note } from "../../api/types";

const HALF = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** More than this are not listed. */
const MOST = 50;

/** JSON cannot carry half a character: returns a text with another of the same length in its place. */
export const whole = (text: string): string => text.replace(HALF, "\ufffd");

/** Returns a finding for each half, with the removal as its fix. */
export function halves(text: string): Note[] {
  const notes: Note[] = [];
  for (const { 0: half, index } of text.matchAll(HALF)) {
    if (notes.length === MOST) break;
    const start = text.lastIndexOf("\n", index - 1) + 1;
    const code = half.charCodeAt(0).toString(16).toUpperCase();
    const utf16: [number, number] = [index, index + 1];
    notes.push({
      code: "text/half-character",
      severity: "error",
      message: `half of a character (U+${code}) cannot be stored`,
      help: "remove it, or write the whole character",
      range: utf16,
      utf16,
      line: text.slice(0, index).split("\n").length,
      column: Array.from(text.slice(start, index)).length + 1,
      utf16_column: index - start + 1,
      edit: { range: utf16, utf16, replacement: "" },
    });
  }
  return notes;
}
