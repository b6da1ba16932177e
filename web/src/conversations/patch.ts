// Applies a unified diff, so that both texts can be shown side by side.

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

/** Returns the new text; null if the diff does not apply. */
export function patched(before: string, difference: string): string | null {
  const lines = before.split(/(?<=\n)/);
  const patch = difference.split(/(?<=\n)/);
  const out: string[] = [];
  let at = 0;
  let row = 0;
  while (row < patch.length && !HUNK.test(patch[row]!)) row++;
  while (row < patch.length) {
    const found = HUNK.exec(patch[row]!);
    if (!found) return null;
    row++;
    let old = Number(found[2] ?? 1);
    let fresh = Number(found[3] ?? 1);
    // Where a hunk has no line before, its line is the one ahead of it.
    const start = old === 0 ? Number(found[1]) : Number(found[1]) - 1;
    if (start < at) return null;
    out.push(...lines.slice(at, start));
    at = start;
    while (old > 0 || fresh > 0) {
      const sign = patch[row]?.[0];
      let line = patch[row]?.slice(1) ?? "";
      row++;
      if (patch[row]?.startsWith("\\")) {
        line = line.replace(/\n$/, "");
        row++;
      }
      if (sign !== "+") {
        if ((sign !== "-" && sign !== " ") || lines[at] !== line) return null;
        at++;
        old--;
      }
      if (sign !== "-") {
        out.push(line);
        fresh--;
      }
    }
  }
  out.push(...lines.slice(at));
  return out.join("");
}
