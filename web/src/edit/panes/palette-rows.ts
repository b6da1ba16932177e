// The rows of the list of variables for a search, in groups.
import type { VariableEntry } from "../../api/types";
import { head } from "../../shown";

export interface Row {
  key: string;
  name: string;
  entry: VariableEntry;
}

export interface Group {
  title: string;
  rows: readonly Row[];
  /** Types with free names. */
  dynamic: readonly VariableEntry[];
}

const GROUPS: readonly { type: string; title: string }[] = [
  { type: "file", title: "Files" },
  { type: "prompt", title: "Conversation" },
  { type: "git", title: "Git" },
  { type: "system", title: "Machine and time" },
];

/** The number of characters of a value that are searched. */
const SEARCHED = 2000;

/** Returns the groups that match the words, which are in lower case. */
export function groupsOf(variables: readonly VariableEntry[], files: readonly string[], words: string): readonly Group[] {
  const shown = variables.filter((one) => matches(one, words));
  const file = variables.find(({ type, dynamic }) => dynamic && type === "file");
  const paths = file ? files.map((path) => fileRow(file, path)).filter(({ key }) => key.toLowerCase().includes(words)) : [];
  const known = GROUPS.map(({ type, title }) => {
    const list = shown.filter((one) => one.type === type);
    return group(title, list, type === "file" ? paths : []);
  });
  const rest = shown.filter(({ type }) => !GROUPS.some((one) => one.type === type));
  return [...known, group("More", rest, [])].filter(({ rows, dynamic }) => rows.length + dynamic.length > 0);
}

function group(title: string, list: readonly VariableEntry[], first: readonly Row[]): Group {
  const named = list.filter(({ dynamic }) => !dynamic);
  const rows = named.map((entry) => ({ key: `${entry.type}:${entry.name}`, name: entry.name, entry }));
  return { title, rows: [...first, ...rows], dynamic: list.filter(({ dynamic }) => dynamic) };
}

function fileRow(entry: VariableEntry, path: string): Row {
  return { key: `file:${path}`, name: path, entry: { ...entry, exists: true, value: null } };
}

function matches({ type, name, description, value }: VariableEntry, words: string): boolean {
  if (words === "") return true;
  return [`${type}:${name}`, description, head(value ?? "", SEARCHED)].some((text) => text.toLowerCase().includes(words));
}
