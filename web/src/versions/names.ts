// The names and current versions of the stored templates.
import { signal } from "@preact/signals";
import { readTemplates } from "../api/templates";

export const names = signal<readonly string[]>([]);
/** Without templates that were reset to the default. */
export const currentVersions = signal<ReadonlyMap<string, number>>(new Map());

/** Reloads them; on failure the earlier list is used. */
export async function readNames(): Promise<void> {
  try {
    const found = await readTemplates();
    names.value = found.map(({ name }) => name);
    currentVersions.value = new Map(found.flatMap(({ name, version, reset }) => (reset ? [] : [[name, version]])));
  } catch {
    // The shown template can still be selected.
  }
}
