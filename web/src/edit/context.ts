// The context of the preview: directory and model, and the variables available there.
import { effect, signal } from "@preact/signals";
import { ask } from "../api/client";
import { meta } from "../api/meta";
import { isAborted } from "../api/problem";
import type { Stability, VariableEntry } from "../api/types";
import { keep, kept } from "../keep";

export const directory = signal(kept("session", "preface-cwd") ?? meta.root);
export const model = signal(kept("session", "preface-model") ?? "");

/** The available variables; without values if the directory is not accessible. */
export const variables = signal<readonly VariableEntry[]>([]);

/** True once the variables were requested, successfully or not. */
export const variablesAreRead = signal(false);

effect(() => void keep("session", "preface-cwd", directory.value));
effect(() => void keep("session", "preface-model", model.value));

/** The placeholder for the conversation id in previews. */
export const PLACEHOLDER_ID = "placeholder-for-conversation-id";

/** Returns the context as fields of a request. */
export function request(): { cwd?: string; model?: string; conversation_id: string } {
  const cwd = directory.value.trim();
  const name = model.value.trim();
  return { ...(cwd && { cwd }), ...(name && { model: name }), conversation_id: PLACEHOLDER_ID };
}

let running: AbortController | null = null;

/** Reloads the variables and their values. */
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
      // The earlier list is used.
    }
  }
  variablesAreRead.value = true;
}

/** Returns the stability of a key's value; null if no provider has it. */
export function stabilityOf(key: string): Stability | null {
  const colon = key.indexOf(":");
  const [type, name] = [key.slice(0, colon), key.slice(colon + 1)];
  const found = variables.value.find((one) => one.type === type && (one.dynamic || one.name === name));
  return found?.stability ?? null;
}

/** The label of each stability. */
export const LASTS: Record<Stability, string> = {
  static: "always the same",
  conversation: "fixed for a conversation",
  turn: "changes with every build",
};
