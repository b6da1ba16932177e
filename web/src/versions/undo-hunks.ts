// Reverts a diff: from the new text to the old one.
import type { components } from "../api/schema";

type Hunk = components["schemas"]["Hunk"];

/** Returns the old text; `after` is the new one. */
export function before(after: string, hunks: readonly Hunk[]): string {
  const lines = after.split(/(?<=\n)/);
  const out: string[] = [];
  let at = 0;
  for (const { to_line: line, to_lines: count, lines: changes } of hunks) {
    // Where a hunk has no line after, its line is the one ahead of it.
    const start = count === 0 ? line : line - 1;
    out.push(...lines.slice(at, start));
    for (const { kind, text } of changes) if (kind !== "added") out.push(text);
    at = start + count;
  }
  out.push(...lines.slice(at));
  return out.join("");
}
