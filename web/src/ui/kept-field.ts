// The text of a field in a dialog. It outlives the dialog and a reload, until it was used.
import { useState } from "preact/hooks";
import { keep, kept } from "../keep";

/** Returns the text, what sets it, and what forgets it. */
export function useKeptField(name: string): [string, (text: string) => void, () => void] {
  const key = keyOf(name);
  const [text, setText] = useState(() => kept("local", key) ?? "");
  const set = (next: string) => {
    setText(next);
    keep("local", key, next === "" ? null : next);
  };
  return [text, set, () => forgetField(name)];
}

/** Forgets the text of a field that was used. */
export const forgetField = (name: string): void => void keep("local", keyOf(name), null);

const keyOf = (name: string): string => `preface-field:${name}`;
