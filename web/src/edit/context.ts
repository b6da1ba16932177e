// The context of the preview: directory and model, and the variables available there.
import { computed, effect, signal } from "@preact/signals";
import { request } from "../api/client";
import { meta } from "../api/meta";
import { isAborted } from "../api/problem";
import type { BuildOptions, Stability, VariableDeclaration, VariableEntry, VariablesReply } from "../api/types";
import { keep, kept } from "../keep";

export const directory = signal(kept("session", "preface-cwd") ?? meta.root);
export const model = signal(kept("session", "preface-model") ?? "");

/** Values that the preview uses instead of those that would be found. Empty texts are not set. */
export interface Values {
  tools: string;
  agent: string;
  conversation: string;
  now: string;
  zone: string;
  /** By `type:name`; null for a variable that is to be absent. */
  variables: Readonly<Record<string, string | null>>;
}

const NONE: Values = { tools: "", agent: "", conversation: "", now: "", zone: "", variables: {} };

export const values = signal<Values>(NONE);

let valuesOf = "";

const placeOf = (template: string): string => `preface-values:${template}`;

/** Takes the values that this browser has for a template. */
export function readValues(template: string): void {
  valuesOf = template;
  try {
    const text = kept("local", placeOf(template));
    values.value = text === null ? NONE : { ...NONE, ...(JSON.parse(text) as Partial<Values>) };
  } catch {
    values.value = NONE;
  }
}

/** Changes some of the values, and keeps them for the template. */
export function setValues(change: Partial<Values>): void {
  const next = { ...values.peek(), ...change };
  const set = JSON.stringify(next) !== JSON.stringify(NONE);
  keep("local", placeOf(valuesOf), set ? JSON.stringify(next) : null);
  values.value = next;
}

export const clearValues = (): void => setValues(NONE);

/** Sets the value of one variable: a text, null for absent, undefined for what is found. */
export function setVariable(key: string, value: string | null | undefined): void {
  const { [key]: _, ...others } = values.peek().variables;
  setValues({ variables: value === undefined ? others : { ...others, [key]: value } });
}

/** What is set, in the words of the page. */
export const valuesSet = computed<string[]>(() => {
  const { tools, agent, conversation, now, zone, variables: own } = values.value;
  const named = { tools, agent, "conversation id": conversation, clock: now, "time zone": zone };
  return [...Object.entries(named).flatMap(([name, value]) => (value.trim() === "" ? [] : [name])), ...Object.keys(own)];
});

/** Returns the values as options of a build. */
export function tried(): BuildOptions {
  const { tools, agent, now, zone, variables: own } = values.value;
  const names = tools.split(/[\s,]+/).filter(Boolean);
  return {
    ...(names.length > 0 && { tools: names }),
    ...(agent.trim() && { agent: agent.trim() }),
    ...(now.trim() && { now: now.trim() }),
    ...(zone.trim() && { time_zone: zone.trim() }),
    ...(Object.keys(own).length > 0 && { variables: { ...own } }),
  };
}

const found = signal<readonly VariableEntry[]>([]);

/** The variables that the template declares, by `type:name`. */
export const declared = signal<Readonly<Record<string, VariableDeclaration>>>({});

/** Returns a declared variable as an entry of the list. */
function entryOf([key, { description, values, stability }]: [string, VariableDeclaration]): VariableEntry {
  const [type, name] = [key.slice(0, key.indexOf(":")), key.slice(key.indexOf(":") + 1)];
  const about = description || (values && values.length > 0 ? `One of ${values.join(", ")}` : "A variable that this template declares");
  return { type, name, description: about, dynamic: false, example: values?.[0] ?? "", stability: stability ?? "conversation", cost: "free", exists: false, value: null };
}

/** The directories below which the directory may lie; none for a token that may not read them. */
export const roots = signal<readonly string[]>([]);

/** The available variables, as the preview uses them; without values if the directory is not accessible. */
export const variables = computed<readonly VariableEntry[]>(() => {
  const own = values.value.variables;
  return [...found.value, ...Object.entries(declared.value).map(entryOf)].map((one) => {
    const value = own[`${one.type}:${one.name}`];
    return value === undefined || one.dynamic ? one : { ...one, value, exists: value !== null };
  });
});

/** True once the variables were requested, successfully or not. */
export const variablesAreRead = signal(false);

effect(() => void keep("session", "preface-cwd", directory.value));
effect(() => void keep("session", "preface-model", model.value));

/** The placeholder for the conversation id in previews. */
export const PLACEHOLDER_ID = "placeholder-for-conversation-id";

/** Returns the context as options of a build. */
export function currentInputs(): BuildOptions {
  const place = directory.value.trim();
  const name = model.value.trim();
  const conversation = values.value.conversation.trim();
  return { ...(place && { directory: place }), ...(name && { model: name }), conversation: conversation || PLACEHOLDER_ID };
}

let running: AbortController | null = null;

let hasRoot = meta.root !== "";

/** Takes a reply. A page that came without a root, because its service asks for a token, begins in the first one. */
function take(reply: VariablesReply): void {
  found.value = reply.variables;
  roots.value = reply.roots;
  const [first] = reply.roots;
  if (hasRoot || first === undefined) return;
  hasRoot = true;
  if (directory.peek() === "") directory.value = first;
}

/** Reloads the variables and their values. */
export async function readVariables(): Promise<void> {
  running?.abort();
  running = new AbortController();
  const { signal } = running;
  try {
    const { directory: cwd, model: name, conversation } = currentInputs();
    const query = { ...(cwd && { cwd }), ...(name && { model: name }), conversation_id: conversation ?? PLACEHOLDER_ID };
    take((await request("get", "/system-prompt/variables", { query, signal })).data);
  } catch (error) {
    if (isAborted(error)) return;
    try {
      take((await request("get", "/system-prompt/variables", { signal })).data);
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
