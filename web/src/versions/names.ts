// The stored templates by name, each with its current version, as far as they were read.
import { signal } from "@preact/signals";
import { ask } from "../api/client";
import type { TemplateEntry } from "../api/types";

const MOST = 2_000;
const PAGE = 500;

export const names = signal<readonly string[]>([]);
/** Without those that went back to the default. */
export const currentVersions = signal<ReadonlyMap<string, number>>(new Map());

/** Reads them again. Where that fails, what was read before stays. */
export async function readNames(): Promise<void> {
  try {
    const found = await all();
    names.value = found.map(({ name }) => name);
    currentVersions.value = new Map(found.flatMap(({ name, version, reset }) => (reset ? [] : [[name, version]])));
  } catch {
    // The one that is shown can still be chosen.
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
