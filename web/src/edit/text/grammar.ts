// Finds tags in a few lines while they are typed, until the service has looked at them. It knows what a tag looks like and nothing
// of blocks: the service finds out whether an `[else]` belongs to a block.
import type { TokenKind } from "../../api/types";

export interface Tag {
  kind: TokenKind;
  from: number;
  to: number;
  key?: string;
}

const BLANK = "[\\s\\uFEFF]";
const NAME = "[^\\]\\n\\r\\u2028\\u2029]*?";
const KEY = `([A-Za-z0-9_]+:${NAME})`;
const CONTROL = new RegExp(`\\[${BLANK}*(endif|else|raw|endraw)${BLANK}*\\]`, "y");
const CONDITION = new RegExp(`\\[${BLANK}*if${BLANK}+(!?)${KEY}${BLANK}*\\]`, "y");
const VARIABLE = new RegExp(`\\[${BLANK}*${KEY}${BLANK}*\\]`, "y");

/** Returns the tags of a text. Inside of a raw block nothing is one. */
export function tagsOf(text: string): Tag[] {
  const tags: Tag[] = [];
  for (let at = text.indexOf("["); at >= 0; at = text.indexOf("[", at)) {
    const tag = tagAt(text, at);
    if (!tag) {
      at++;
      continue;
    }
    tags.push(tag);
    at = tag.to;
  }
  return tags;
}

function tagAt(text: string, from: number): Tag | null {
  const match = (pattern: RegExp) => {
    pattern.lastIndex = from;
    return pattern.exec(text);
  };
  const control = match(CONTROL);
  if (control) return { kind: control[1] as TokenKind, from, to: from + control[0].length };
  const condition = match(CONDITION);
  if (condition) {
    const kind = condition[1] === "!" ? "if-not" : "if";
    return { kind, from, to: from + condition[0].length, key: condition[2]! };
  }
  const variable = match(VARIABLE);
  return variable && { kind: "variable", from, to: from + variable[0].length, key: variable[1]! };
}
