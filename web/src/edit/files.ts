// Which files a template may well want, and whether they are there. The service lists no files, so it is asked about names that
// many projects have; a template of conditions tells which exist.
import { effect, signal } from "@preact/signals";
import { ask } from "../api/client";
import { request } from "./context";

const LIKELY = ["AGENTS.md", "CLAUDE.md", "README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "STYLE.md", ".editorconfig"];

/** Those that are there, in this order. */
export const likelyFiles = signal<readonly string[]>([]);

let asked = 0;

effect(() => {
  const asking = request();
  const turn = ++asked;
  likelyFiles.value = [];
  if (!asking.cwd) return;
  const template = LIKELY.map((file) => `[if file:${file}][endif]`).join("");
  ask("post", "/system-prompt/analyze", { body: { template, options: {}, ...asking } }).then(
    ({ data }) => {
      if (turn !== asked) return;
      const there = new Set(data.variables.filter(({ exists }) => exists).map(({ name }) => name));
      likelyFiles.value = LIKELY.filter((file) => there.has(file));
    },
    () => {
      // No suggestions, then: a path can be written without them.
    },
  );
});
