// The two sides of a comparison of versions.
import { ownDraft } from "../edit/draft";
import type { Side } from "./compare";
import type { History } from "./history";

/** The other side: the previous version, the current one, the editor, or a version number. */
export type Against = "before" | "current" | "editor" | number;

/** The version before the first one: the default, or nothing. */
export const START = 0;

/** Returns the options to compare with. The older text is always on the left. */
export function choices(history: History, version: number): { value: Against; label: string }[] {
  const offered: { value: Against; label: string }[] = [{ value: "before", label: "Previous version" }];
  if (version !== history.current) offered.push({ value: "current", label: `Current version (${history.current})` });
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
  if (version === START) return history.name === "main" ? "Built-in default" : "Empty";
  return `Version ${version}${version === history.current ? " (current)" : ""}`;
}
