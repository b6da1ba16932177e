// Which files a template may well want, and whether they are there. The service lists no files, so it is asked about names that
// many projects have; a template of conditions tells which exist.
import { effect, signal } from "@preact/signals";
import { ask } from "../api/client";
import { request } from "./context";

const LIKELY = ["AGENTS.md", "CLAUDE.md", "README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "STYLE.md", ".editorconfig"];

/** Those that are there, in this order. */
export const likelyFiles = signal<readonly string[]>([]);

/** True once it is known which of them are there, as far as it can be. */
export const filesAreRead = signal(false);

/** Files that templates of this tab have named and that were there. */
export const namedFiles = new Set<string>();

const MOST_NAMED = 200;

/** Remembers the files that a template names, for when another one is written. */
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

/** Looks whether they are there still, or by now. */
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
