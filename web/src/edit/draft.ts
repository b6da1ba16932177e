// Text that is not stored yet is kept in this tab, so that a reload or a crash loses nothing.
import { keep, kept } from "../keep";

export interface Draft {
  text: string;
  /** What it is based on, as the service names it; null where nothing was stored. */
  etag: string | null;
  version: number;
  /** The stored text that it is based on. */
  base: string;
}

const name = (template: string): string => `preface-draft:${template}`;

export function readDraft(template: string): Draft | null {
  const text = kept("session", name(template));
  if (text === null) return null;
  try {
    const draft = JSON.parse(text) as Partial<Draft>;
    const good = typeof draft.text === "string" && typeof draft.base === "string";
    return good ? { text: draft.text!, base: draft.base!, etag: draft.etag ?? null, version: draft.version ?? 0 } : null;
  } catch {
    return null;
  }
}

/** Keeps a draft, or forgets it; false where the browser has no room for it. */
export function keepDraft(template: string, draft: Draft | null): boolean {
  return keep("session", name(template), draft && JSON.stringify(draft));
}
