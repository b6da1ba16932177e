// Suggested files. The service lists no files, so a template of conditions on common names finds out which exist.
import { effect, signal } from "@preact/signals";
import { ask } from "../api/client";
import { request } from "./context";

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

/** A directory is typed letter by letter; it is asked about when that is done. */
const TYPED = 400;

let asked = 0;

effect(() => {
  const asking = request();
  const timer = setTimeout(() => look(asking), asked === 0 ? 0 : TYPED);
  return () => clearTimeout(timer);
});

/** Checks again which files exist. */
export const lookForFiles = (): void => look(request());

function look(asking: ReturnType<typeof request>): void {
  const turn = ++asked;
  const found = (files: readonly string[]) => {
    if (turn !== asked) return;
    likelyFiles.value = files;
    filesAreRead.value = true;
  };
  if (!asking.cwd) return found([]);
  const template = LIKELY.map((file) => `[if file:${file}][endif]`).join("");
  ask("post", "/system-prompt/analyze", { body: { template, options: {}, ...asking } }).then(
    ({ data }) => {
      const there = new Set(data.variables.filter(({ exists }) => exists).map(({ name }) => name));
      found(LIKELY.filter((file) => there.has(file)));
    },
    // No suggestions, then: a path can be written without them.
    () => found([]),
  );
}
