// For whom the preview is: a directory and a model. And what a template can name there, with the values.
import { effect, signal } from "@preact/signals";
import { ask } from "../api/client";
import { meta } from "../api/meta";
import { isAborted } from "../api/problem";
import type { Stability, VariableEntry } from "../api/types";
import { keep, kept } from "../keep";

export const directory = signal(kept("session", "preface-cwd") ?? meta.root);
export const model = signal(kept("session", "preface-model") ?? "");

/** Everything that a template can name. Without values where the directory is not one to look into. */
export const variables = signal<readonly VariableEntry[]>([]);

/** True once the variables were asked for and an answer came, whatever it was. */
export const variablesAreRead = signal(false);

effect(() => void keep("session", "preface-cwd", directory.value));
effect(() => void keep("session", "preface-model", model.value));

/** Stands for the id that every conversation has, and says so wherever it is shown. */
export const PLACEHOLDER_ID = "placeholder-for-conversation-id";

/** What the service is told about for whom this is. */
export function request(): { cwd?: string; model?: string; conversation_id: string } {
  const cwd = directory.value.trim();
  const name = model.value.trim();
  return { ...(cwd && { cwd }), ...(name && { model: name }), conversation_id: PLACEHOLDER_ID };
}

let running: AbortController | null = null;

/** Reads the variables and their values again. */
export async function readVariables(): Promise<void> {
  running?.abort();
  running = new AbortController();
  const { signal } = running;
  try {
    variables.value = (await ask("get", "/system-prompt/variables", { query: request(), signal })).data.variables;
  } catch (error) {
    if (isAborted(error)) return;
    try {
      const plain = (await ask("get", "/system-prompt/variables", { signal })).data.variables;
      variables.value = plain;
    } catch {
      if (signal.aborted) return;
      // The list of before, or none: the text can be written without it.
    }
  }
  variablesAreRead.value = true;
}

/** How long a key's value stays the same, as far as the list of variables knows; null where nobody answers for it. */
export function stabilityOf(key: string): Stability | null {
  const colon = key.indexOf(":");
  const [type, name] = [key.slice(0, colon), key.slice(colon + 1)];
  const found = variables.value.find((one) => one.type === type && (one.dynamic || one.name === name));
  return found?.stability ?? null;
}

/** What is said of each stability. */
export const LASTS: Record<Stability, string> = {
  static: "always the same",
  conversation: "fixed for a conversation",
  turn: "changes with every build",
};
