// A draft as the browser stores it.

export interface Draft {
  text: string;
  /** The ETag of the version that it is based on; null if nothing was stored. */
  etag: string | null;
  version: number;
  /** The text of that version; null if it is not known. */
  base: string | null;
}

/** A template has at most one of each in a tab: the text that is written, and an own text that was replaced by the version of another client. */
export type DraftKind = "draft" | "aside";

export interface DraftRecord extends Draft {
  /** Unique in the browser: store, tab, kind and template. */
  key: string;
  /** The identity of the store; empty if the service does not name it. */
  store: string;
  tab: string;
  /** `discarded` is offered for some days in the list of unsaved texts and is never restored by itself. */
  kind: DraftKind | "discarded";
  template: string;
  /** Milliseconds since 1970. */
  at: number;
}

export const keyOf = (store: string, tab: string, kind: string, template: string): string => [store, tab, kind, template].join("|");

/** Reads the JSON of a draft as earlier versions of the page stored it, and as a page leaves it while it is closed. */
export function parseDraft(json: string): (Draft & { at: number; store: string | null }) | null {
  try {
    const { text, base, etag, version, at, store } = JSON.parse(json) as Partial<Draft & { at: number; store: string }>;
    if (typeof text !== "string") return null;
    const known = { etag: etag ?? null, version: version ?? 0, at: at ?? 0, store: store ?? null };
    return { text, base: typeof base === "string" ? base : null, ...known };
  } catch {
    return null;
  }
}
