// The two sides of a comparison of versions, as its address has them.
import { meta } from "../api/meta";
import { drafts } from "../edit/drafts";
import type { Side } from "./compare";
import type { History } from "./history";

/** The other side: the previous version, the current one, the editor, or a version number. */
export type Against = "before" | "current" | "editor" | number;

/** Returns what an address selects: `3`, `2..3`, `current..3`, `editor..3`; null if it selects nothing. */
export function selected(at: string): { version: number; against: Against } | null {
  const [, other, version] = /^(?:(\d+|current|editor)\.\.)?(\d+)$/.exec(at) ?? [];
  if (version === undefined) return null;
  const against = other === undefined ? "before" : /^\d+$/.test(other) ? Number(other) : (other as Against);
  return { version: Number(version), against };
}

/** Returns the choice of an option. */
export function read(value: string): Against {
  const version = Number(value);
  return Number.isInteger(version) ? version : (value as Against);
}

/** Where a side of a comparison of built prompts is built. */
export interface Place {
  cwd: string;
  model: string;
}

/** The places of both sides; null where templates are compared. */
export type Places = { from: Place; to: Place } | null;

/** Returns the places that an address has: `show=prompt&from_cwd=/work&to_cwd=/work&to_model=NAME`. */
export function placesOf(query: string): Places {
  const fields = new URLSearchParams(query);
  if (fields.get("show") !== "prompt") return null;
  const place = (side: string): Place => ({ cwd: fields.get(`${side}_cwd`) ?? meta.root, model: fields.get(`${side}_model`) ?? "" });
  return { from: place("from"), to: place("to") };
}

/** Returns the address of a version, compared with another. */
export function placeOf(version: number, against: Against, places: Places = null): string {
  const at = against === "before" ? `${version}` : `${against}..${version}`;
  if (!places) return at;
  const query = new URLSearchParams({ show: "prompt" });
  for (const side of ["from", "to"] as const) {
    query.set(`${side}_cwd`, places[side].cwd);
    if (places[side].model !== "") query.set(`${side}_model`, places[side].model);
  }
  // A fragment may have slashes.
  return `${at}?${query.toString().replaceAll("%2F", "/")}`;
}

/** The version before the first one: the default, or nothing. */
export const START = 0;

/** Returns the options to compare with. The older text is always on the left. */
export function choices(history: History, version: number): { value: Against; label: string }[] {
  const offered: { value: Against; label: string }[] = [{ value: "before", label: "Previous version" }];
  if (version !== history.current) offered.push({ value: "current", label: `Current version (${history.current})` });
  if (drafts.own(history.name)) offered.push({ value: "editor", label: "Unsaved text in the editor" });
  return offered;
}

type At = number | "editor";

/** Returns the two sides as an address has them: the other one, then the version. */
export function pairOf(history: History, version: number, against: Against): [At, number] {
  return [against === "before" ? version - 1 : against === "current" ? history.current : against, version];
}

/** Returns the texts of two sides. */
export const texts = (history: History, pair: readonly [At, At]): Promise<[Side, Side]> =>
  Promise.all([textOf(history, pair[0]), textOf(history, pair[1])]);

/** The older text is always on the left. */
export const inOrder = ([from, to]: readonly [At, number]): [At, At] => (from === "editor" || from > to ? [to, from] : [from, to]);

async function textOf(history: History, at: At): Promise<Side> {
  if (at === "editor") return { label: "Unsaved text in the editor", text: drafts.own(history.name)?.text ?? "" };
  return { label: named(history, at), text: await history.text(at) };
}

export function named(history: History, version: number): string {
  if (version === START) return history.name === "main" ? "Built-in default" : "Empty";
  return `Version ${version}${version === history.current ? " (current)" : ""}`;
}
