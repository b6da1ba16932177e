// The names and current versions of the stored templates.
import { signal } from "@preact/signals";
import { ask } from "../api/client";
import type { TemplateEntry } from "../api/types";

const MOST = 2_000;
const PAGE = 500;

export const names = signal<readonly string[]>([]);
/** Without templates that were reset to the default. */
export const currentVersions = signal<ReadonlyMap<string, number>>(new Map());

/** Reloads them; on failure the earlier list is used. */
export async function readNames(): Promise<void> {
  try {
    const found = await all();
    names.value = found.map(({ name }) => name);
    currentVersions.value = new Map(found.flatMap(({ name, version, reset }) => (reset ? [] : [[name, version]])));
  } catch {
    // The shown template can still be selected.
  }
}

async function all(): Promise<TemplateEntry[]> {
  const found: TemplateEntry[] = [];
  let after: string | null = null;
  do {
    const query: { limit: number; after?: string } = { limit: PAGE, ...(after !== null && { after }) };
    const { data }: { data: { items: TemplateEntry[]; next: string | null } } = await ask("get", "/templates", { query });
    found.push(...data.items);
    after = data.next;
  } while (after !== null && found.length < MOST);
  return found;
}
