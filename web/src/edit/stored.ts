// Reads, writes and deletes a stored template. `main` has its own address, which returns the default while the store is
// unavailable.
import { ask } from "../api/client";
import { Problem } from "../api/problem";

export const MAIN = "main";

export interface Stored {
  text: string;
  /** The ETag; null if nothing is stored or the store is unavailable. */
  etag: string | null;
  /** 0 if nothing is stored. */
  version: number;
  /** True if the store is unavailable and this is the default. */
  degraded: boolean;
  /** True if the template does not exist yet. */
  missing: boolean;
}

/** The value for a template that does not exist. */
export const NONE: Stored = { text: "", etag: null, version: 0, degraded: false, missing: true };

export function readStored(name: string): Promise<Stored>;
/** Returns null if the ETag is still `known`. */
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

/** Resets `main` to the default, or deletes a template. Its versions stay. */
export async function resetStored(name: string, etag: string | null): Promise<void> {
  if (name === MAIN) await ask("delete", "/system-prompt", { ifMatch: etag });
  else await ask("delete", "/templates/{name}", { path: { name }, ifMatch: etag });
}

function stored(answer: { data: { template: string }; etag: string | null; version: number | null; degraded: boolean }) {
  const { data, etag, version, degraded } = answer;
  return { text: data.template, etag, version: version ?? 0, degraded };
}
