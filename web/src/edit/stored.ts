// Reads, writes and deletes a stored template. `main` is the default while the store is unavailable.
import { request } from "../api/client";
import { Problem } from "../api/problem";
import type { VariableDeclaration } from "../api/types";
import { halves } from "./analysis/halves";
import { declared } from "./context";

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
  /** The last version with a text, if the template was deleted. */
  deleted?: number;
}

/** The value for a template that does not exist. */
export const NONE: Stored = { text: "", etag: null, version: 0, degraded: false, missing: true };

export function readStored(name: string): Promise<Stored>;
/** Returns null if the ETag is still `known`. */
export function readStored(name: string, known: string | null): Promise<Stored | null>;
export async function readStored(name: string, known: string | null = null): Promise<Stored | null> {
  try {
    const reply = await request("get", "/templates/{name}", { path: { name }, ifNoneMatch: known });
    return { ...stored(reply), missing: false };
  } catch (error) {
    if (error instanceof Problem && error.status === 304) return null;
    if (!(error instanceof Problem) || error.code !== "no-template") throw error;
    return { ...NONE, ...(await lastOfDeleted(name)) };
  }
}

/** The versions of a deleted template stay. */
async function lastOfDeleted(name: string): Promise<{ deleted: number } | null> {
  try {
    const { data } = await request("get", "/templates/{name}/versions", { path: { name }, query: { limit: 50 } });
    const last = data.items.find(({ reset }) => !reset);
    return last ? { deleted: last.version } : null;
  } catch {
    return null;
  }
}

/** Returns who saved a version, or "another client" if that cannot be read. */
export async function authorOf(name: string, version: number): Promise<string> {
  try {
    const { data } = await request("get", "/templates/{name}/versions", { path: { name }, query: { limit: 50 } });
    return data.items.find((item) => item.version === version)?.author ?? "another client";
  } catch {
    return "another client";
  }
}

/** Returns true if the store does not have a version that it had, as after it was restored from a backup. `stored` is what it has. */
export async function hasLost(name: string, version: number, stored: Stored): Promise<boolean> {
  if (stored.degraded || stored.version >= version) return false;
  if (stored.version > 0) return true;
  // A template that was deleted or reset has a newer version without a text.
  return request("get", "/templates/{name}/versions", { path: { name }, query: { limit: 1 } }).then(
    ({ data }) => (data.items[0]?.version ?? 0) < version,
    (error: unknown) => error instanceof Problem && error.code === "no-template",
  );
}

/** Returns the sentence about a version that another client stored after version `known`. */
export function changeOf({ version, missing }: Stored, known = 0): string {
  if (version > 0 && version < known) return `The store has only version ${version}.`;
  if (version > 0) return `A newer version (${version}) was saved by another client.`;
  return missing ? "This template was deleted by another client." : "This template was reset by another client.";
}

/** Stores the text of a version of a deleted template as its newest version. */
export async function restoreDeleted(name: string, version: number): Promise<void> {
  await request("post", "/templates/{name}/versions/{version}/restore", { path: { name, version } });
}

/** Writes a text that is based on what `etag` names. */
export async function writeStored(name: string, text: string, etag: string | null, note: string): Promise<Stored> {
  const [half] = halves(text);
  if (half) throw new Problem(400, { code: half.code, detail: `not saved: line ${half.line}, column ${half.column}: ${half.message}`, help: half.help! });
  const body = { template: text, ...(note && { note }) };
  const reply = await request("put", "/templates/{name}", { path: { name }, body, ifMatch: etag, ifNew: etag === null });
  return { ...stored(reply), missing: false };
}

/** Resets `main` to the default, or deletes a template. Its versions stay. */
export async function resetStored(name: string, etag: string | null): Promise<void> {
  await request("delete", "/templates/{name}", { path: { name }, ifMatch: etag });
}

function stored(reply: { data: { template: string; variables?: Readonly<Record<string, VariableDeclaration>> }; etag: string | null; version: number | null; degraded: boolean }) {
  const { data, etag, version, degraded } = reply;
  declared.value = data.variables ?? {};
  return { text: data.template, etag, version: version ?? 0, degraded };
}
