// The list of the stored templates.
import { request } from "./client";
import type { TemplateEntry } from "./types";

const PAGE = 500;

/** Reads all of them; `onPage` gets what there is after each page. */
export async function readTemplates(onPage?: (found: readonly TemplateEntry[]) => void): Promise<TemplateEntry[]> {
  const found: TemplateEntry[] = [];
  let after: string | null = null;
  do {
    const query: { limit: number; after?: string } = { limit: PAGE, ...(after !== null && { after }) };
    const { data }: { data: { items: TemplateEntry[]; next: string | null } } = await request("get", "/templates", { query });
    found.push(...data.items);
    after = data.next;
    onPage?.([...found]);
  } while (after !== null);
  return found;
}
