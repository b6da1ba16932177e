// Untrusted text. It is inserted as text only; invisible and bidirectional characters are escaped.

/** Controls, bidi marks, zero-width and tag characters, runs of variation selectors: invisible or misleading characters. */
const HIDDEN =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|[\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]|[\ufe00-\ufe0f]{2,}/gu;

/** Returns a text with every hidden character written as ⟨U+202E⟩. */
export function escaped(text: string): string {
  return text.replace(HIDDEN, (hidden) => code(hidden));
}

/** The same, but tabs and line ends are not escaped. */
export function escapedLines(text: string): string {
  return text.replace(HIDDEN, (hidden) => (/[\t\n\r]/.test(hidden) ? hidden : code(hidden)));
}

function code(hidden: string): string {
  const one = (character: string) => character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
  return Array.from(hidden, (character) => `⟨U+${one(character)}⟩`).join("");
}

/** Returns the head of a text; never half a character. */
export function head(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = /[\ud800-\udbff]/.test(text[most - 1] ?? "") ? most - 1 : most;
  return text.slice(0, end);
}

/** The maximum length of a tooltip. */
const MOST_TITLE = 500;

interface ShownProps {
  text: string;
  /** How many characters are shown; the rest is in the tooltip. */
  most?: number;
  class?: string;
}

/** A name, path or value with hidden characters escaped. */
export function Shown({ text, most = 120, class: name }: ShownProps) {
  const cut = head(text, most);
  const long = cut.length < text.length;
  const title = long ? escaped(head(text, MOST_TITLE)) + (text.length > MOST_TITLE ? "…" : "") : undefined;
  return (
    <bdi class={name ? `shown ${name}` : "shown"} title={title}>
      {escaped(cut)}
      {long && <span class="soft">… ({text.length.toLocaleString()} characters)</span>}
    </bdi>
  );
}
