// What the layers bring to a directory, as `GET /scopes` answers: extensions and MCP servers, active or not, and why.
import { read } from "../api/client";
import type { Diagnostic } from "../api/types";

export type Layer = "bundled" | "global" | "project";

export interface EntryOrigin {
  scope: Layer;
  path: string;
}

export interface Entry {
  category: string;
  name: string;
  origin: EntryOrigin;
  active: boolean;
  runnable: boolean;
  shadows: EntryOrigin[];
  shadowed_by: EntryOrigin | null;
  disabled_by: { scope: Layer | "caller"; path: string; line?: number | null } | null;
  fallback_from: EntryOrigin | null;
  order: number | null;
  slot: string | null;
  config_scope: Layer | "caller";
  status: "ok" | "disabled" | "held" | "pending";
  about: string | null;
  action: unknown;
  diagnostics: Diagnostic[];
}

export interface Report {
  /** The directory that was looked at. */
  cwd: string;
  preset: string;
  /** How the profile guards a project, and what stands for this one. */
  mode: string;
  trust: string;
  /** The directories of the layers; empty where there are none. */
  global: string;
  project: string;
  /** Extensions, then MCP servers. */
  entries: Entry[];
  diagnostics: Diagnostic[];
}

/** Asks for a directory; an empty one is the service's own root. */
export async function readReport(cwd: string, preset: string): Promise<Report> {
  const response = await read("/scopes", { cwd, preset });
  return report(await response.json());
}

/** Reads the answer. Its description does not say what an entry holds, so nothing is taken on trust. */
export function report(json: unknown): Report {
  const top = object(json);
  return {
    cwd: text(top.cwd),
    preset: text(top.preset),
    mode: text(top.mode),
    trust: text(top.trust),
    global: text(top.global),
    project: text(top.project),
    entries: [...list(top.entries), ...list(top.servers)].map(entry),
    diagnostics: list(top.diagnostics) as Diagnostic[],
  };
}

function entry(json: unknown): Entry {
  const one = object(json) as Partial<Entry>;
  return {
    category: text(one.category),
    name: text(one.name),
    origin: one.origin ?? { scope: "bundled", path: "" },
    active: one.active === true,
    runnable: one.runnable === true,
    shadows: one.shadows ?? [],
    shadowed_by: one.shadowed_by ?? null,
    disabled_by: one.disabled_by ?? null,
    fallback_from: one.fallback_from ?? null,
    order: one.order ?? null,
    slot: one.slot ?? null,
    config_scope: one.config_scope ?? "bundled",
    status: one.status ?? "ok",
    about: one.about ?? null,
    action: one.action ?? null,
    diagnostics: one.diagnostics ?? [],
  };
}

const object = (json: unknown): Record<string, unknown> => (json !== null && typeof json === "object" ? (json as Record<string, unknown>) : {});
const list = (json: unknown): unknown[] => (Array.isArray(json) ? json : []);
const text = (json: unknown): string => (typeof json === "string" ? json : "");
