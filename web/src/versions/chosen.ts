// Which version is looked at, and what it is compared with.
import { ownDraft } from "../edit/draft";
import type { Side } from "./compare";
import type { History } from "./history";

/** The version before it, the current one, what is in the editor, or any by its number. */
export type Against = "before" | "current" | "editor" | number;

/** The version before the first one: the default, or nothing. */
export const START = 0;

/** Returns what there is to compare with. An older text always stands left. */
export function choices(history: History, version: number): { value: Against; label: string }[] {
  const offered: { value: Against; label: string }[] = [{ value: "before", label: "The version before" }];
  if (version !== history.current) offered.push({ value: "current", label: `The current one (version ${history.current})` });
  if (ownDraft(history.name)) offered.push({ value: "editor", label: "Unsaved text in the editor" });
  return offered;
}

/** Returns the two sides. */
export async function sides(history: History, version: number, against: Against): Promise<[Side, Side]> {
  const side = async (at: number): Promise<Side> => ({ label: named(history, at), text: await history.text(at) });
  if (against === "editor") {
    const text = ownDraft(history.name)?.text ?? "";
    return [await side(version), { label: "Unsaved text in the editor", text }];
  }
  const other = against === "before" ? version - 1 : against === "current" ? history.current : against;
  return Promise.all([side(Math.min(version, other)), side(Math.max(version, other))]);
}

function named(history: History, version: number): string {
  if (version === START) return history.name === "main" ? "The built-in default" : "Nothing";
  return `Version ${version}${version === history.current ? " (current)" : ""}`;
}
