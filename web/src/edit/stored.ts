// A template in the store: read, written, taken back. `main` has an address of its own, which answers the default while the store
// is away.
import { ask } from "../api/client";
import { Problem } from "../api/problem";

export const MAIN = "main";

export interface Stored {
  text: string;
  /** Names this text and version; null where nothing is stored or the store is away. */
  etag: string | null;
  /** 0 where nothing is stored. */
  version: number;
  /** True where the store is away and this is the default, not what is stored. */
  degraded: boolean;
  /** True where there is no template of this name yet. */
  missing: boolean;
}

/** What there is of a name that nobody has used. */
export const NONE: Stored = { text: "", etag: null, version: 0, degraded: false, missing: true };

export function readStored(name: string): Promise<Stored>;
/** Null where it is still the one that `known` names. */
export function readStored(name: string, known: string | null): Promise<Stored | null>;
export async function readStored(name: string, known: string | null = null): Promise<Stored | null> {
  try {
    const answer =
      name === MAIN
        ? await ask("get", "/system-prompt", { ifNoneMatch: known })
        : await ask("get", "/templates/{name}", { path: { name }, ifNoneMatch: known });
    return { ...stored(answer), missing: false };
  } catch (error) {
    if (error instanceof Problem && error.status === 304) return null;
    if (!(error instanceof Problem) || error.code !== "no-template") throw error;
    return NONE;
  }
}

/** Writes a text that is based on what `etag` names. */
export async function writeStored(name: string, text: string, etag: string | null, note: string): Promise<Stored> {
  const asking = { body: { template: text, ...(note && { note }) }, ifMatch: etag, ifNew: etag === null };
  const answer =
    name === MAIN
      ? await ask("put", "/system-prompt", asking)
      : await ask("put", "/templates/{name}", { path: { name }, ...asking });
  return { ...stored(answer), missing: false };
}

/** Goes back to the default (`main`), or takes a template away. Its versions stay. */
export async function resetStored(name: string, etag: string | null): Promise<void> {
  if (name === MAIN) await ask("delete", "/system-prompt", { ifMatch: etag });
  else await ask("delete", "/templates/{name}", { path: { name }, ifMatch: etag });
}

function stored(answer: { data: { template: string }; etag: string | null; version: number | null; degraded: boolean }) {
  const { data, etag, version, degraded } = answer;
  return { text: data.template, etag, version: version ?? 0, degraded };
}
