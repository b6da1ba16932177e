// The files below the directory of the preview: those that are suggested by themselves, and the entries of each directory.
import { effect, signal } from "@preact/signals";
import { request } from "../api/client";
import { isAborted } from "../api/problem";
import type { FilesReply } from "../api/types";
import { directory } from "./context";

const LIKELY = ["AGENTS.md", "CLAUDE.md", "README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "STYLE.md", ".editorconfig"];

/** The files that exist, in this order. */
export const likelyFiles = signal<readonly string[]>([]);

/** True once the files were checked. */
export const filesAreRead = signal(false);

/** Existing files that templates of this tab use. */
export const namedFiles = new Set<string>();

const MOST_NAMED = 200;

/** Adds the files that a template uses to the suggestions. */
export function rememberFiles(used: readonly { type: string; name: string; exists: boolean | null }[]): void {
  for (const { type, name, exists } of used) if (type === "file" && exists === true && namedFiles.size < MOST_NAMED) namedFiles.add(name);
}

/** A directory is typed letter by letter; it is read when that is done. */
const TYPED = 400;

let requests = 0;

effect(() => {
  const cwd = directory.value.trim();
  const timer = setTimeout(() => look(cwd), requests === 0 ? 0 : TYPED);
  return () => clearTimeout(timer);
});

/** Checks again which files exist. */
export const lookForFiles = (): void => look(directory.peek().trim());

function look(cwd: string): void {
  const turn = ++requests;
  listings.clear();
  const found = (files: readonly string[]) => {
    if (turn !== requests) return;
    likelyFiles.value = files;
    filesAreRead.value = true;
  };
  void list("", "").then((root) => {
    const there = new Set(root?.entries.filter(({ kind }) => kind === "file").map(({ name }) => name));
    found(cwd === "" ? [] : LIKELY.filter((file) => there.has(file)));
  });
}

/** The entries of directories, while nothing has changed as far as the page can see. */
const listings = new Map<string, FilesReply>();

const keyOf = (path: string, search: string): string => JSON.stringify([directory.peek().trim(), path, search]);

/** Returns the entries of a directory, as they are known; of one that has too many, those that match. */
export function listed(path: string, search: string): FilesReply | undefined {
  const all = listings.get(keyOf(path, ""));
  return all?.truncated && search !== "" ? listings.get(keyOf(path, search)) : all;
}

/** Reads the entries of a directory; null if it cannot be listed. */
export async function list(path: string, search: string, signal?: AbortSignal): Promise<FilesReply | null> {
  const cwd = directory.peek().trim();
  if (cwd === "") return null;
  const known = listed(path, search);
  if (known) return known;
  const within = listings.get(keyOf(path, ""))?.truncated ? search : "";
  const key = keyOf(path, within);
  try {
    const query = { cwd, path, search: within };
    const { data } = await request("get", "/system-prompt/files", { query, ...(signal && { signal }) });
    listings.set(key, data);
    return data.truncated && within !== search ? await list(path, search, signal) : data;
  } catch (error) {
    // No suggestions, then: a path can be written without them.
    if (!isAborted(error)) listings.set(key, { entries: [], truncated: false });
    return null;
  }
}
