// Completion inside of a bracket: variables with their values, files that are there, blocks.
import {
  autocompletion,
  startCompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from "@codemirror/autocomplete";
import type { EditorState, Extension } from "@codemirror/state";
import { EditorView, ViewPlugin } from "@codemirror/view";
import { effect } from "@preact/signals";
import type { FilesReply, VariableEntry } from "../../api/types";
import { escaped, head } from "../../shown";
import { messageElement } from "../../message-text";
import { LASTS, variables, variablesAreRead } from "../context";
import { filesAreRead, likelyFiles, list, listed, namedFiles } from "../files";
import { analysed } from "./analysed";
import { beginsLine, bracketAt, type Bracket } from "./place";

/** As in the list of variables, so that one learns one order. */
const SECTIONS: Record<string, { name: string; rank: number }> = {
  condition: { name: "Conditions", rank: 0 },
  file: { name: "Files", rank: 1 },
  prompt: { name: "Conversation", rank: 2 },
  git: { name: "Git", rank: 3 },
  system: { name: "Machine and time", rank: 4 },
  more: { name: "More", rank: 5 },
  block: { name: "Blocks", rank: 6 },
  negation: { name: "If it is missing", rank: 7 },
};

const section = (type: string) => SECTIONS[type] ?? SECTIONS.more!;

/** The most characters of a value that are shown beside a name, and in the description. */
const BESIDE = 32;
const ABOUT = 400;

export function completion(): Extension {
  return [reachable, walkOver, options(), lateNames];
}

/** Names that arrive while a bracket is being written are offered there: nothing else would open the list. */
const lateNames = ViewPlugin.define((view) => {
  let first = true;
  const stop = effect(() => {
    void [variablesAreRead.value, filesAreRead.value];
    // The first run only subscribes.
    if (first) return void (first = false);
    // Not within an update of the editor, of which the arrival may be a part.
    setTimeout(() => {
      if (view.hasFocus && bracketAt(view.state, view.state.selection.main.head)) startCompletion(view);
    });
  });
  return { destroy: stop };
});

/** A list that scrolls can be reached, so that it can be scrolled without a pointer; the arrow keys of the text work as ever. */
const reachable = EditorView.updateListener.of(({ view }) => {
  const list = view.dom.querySelector<HTMLElement>(".cm-tooltip-autocomplete > ul");
  if (list && list.tabIndex !== 0) list.tabIndex = 0;
});

function options(): Extension {
  return autocompletion({
    override: [complete, completePath],
    icons: false,
    activateOnTypingDelay: 0,
    interactionDelay: 30,
    maxRenderedOptions: 60,
    optionClass: (option) => `option-${option.type ?? "plain"}`,
  });
}

/** A source of completions, called at each key, so that the order follows what is written. */
function complete(context: CompletionContext): CompletionResult | null {
  const found = offered(context);
  return found && { ...found, update: (_, __, ___, next) => complete(next) };
}

function offered({ state, pos, explicit }: CompletionContext): CompletionResult | null {
  const bracket = bracketAt(state, pos);
  if (!bracket) return explicit ? { from: pos, options: wholeTags() } : null;
  // Prose in brackets is prose: it is not talked into while it has blanks.
  if (!explicit && !bracket.condition && /\s/.test(bracket.written) && !bracket.written.includes(":")) return null;
  const present = state.sliceDoc(bracket.from, bracket.close === null ? pos : bracket.close - 1);
  const all = [...keys(bracket), ...files(state.field(analysed).packed?.variables ?? [], bracket, present)];
  if (!bracket.condition) all.push(...words(state.field(analysed).packed?.raw ?? false));
  else if (bracket.written === "" && !state.sliceDoc(bracket.open, bracket.from).endsWith("!") && all.length > 0) all.push(negation());
  return { from: bracket.from, options: ordered(all, bracket, hasOpenCondition(state, bracket.open)) };
}

/**
 * Options that begin with what is written are above all sections, words and names alike; those that only resemble it are in them. Where a
 * condition is open, `else` and `endif` come first.
 */
function ordered(all: readonly Completion[], { written }: Bracket, open: boolean): Completion[] {
  const wanted = written.toLowerCase();
  return all.map(({ section: of, ...option }) => {
    const goesOn = open && (option.label === "else" || option.label === "endif");
    if (wanted === "") return goesOn ? { ...option, boost: 99 } : { ...option, section: of! };
    if (!begins(option.label.toLowerCase(), wanted)) return { ...option, section: of! };
    return { ...option, boost: goesOn ? 99 : option.type === "condition" ? 60 : (option.boost ?? 0) / 10 };
  });
}

/** True for the whole label, for the name behind its type, and for the file behind its directories. */
function begins(label: string, wanted: string): boolean {
  return label.startsWith(wanted) || label.startsWith(wanted, label.indexOf(":") + 1) || label.startsWith(wanted, label.lastIndexOf("/") + 1);
}

const NEVER_CLOSED = "template/unbalanced";

/** True where a condition before a place has no end, as far as the last analysis knows. */
function hasOpenCondition(state: EditorState, place: number): boolean {
  const { packed, since } = state.field(analysed);
  return packed?.notes.some(({ code, utf16 }) => code === NEVER_CLOSED && since.mapPos(utf16[0]) < place) ?? false;
}

/** The path that a tag is about, up to the last slash, and the name behind it; null for other tags. */
function pathIn({ written, from }: Bracket): { dir: string; name: string; from: number } | null {
  if (!written.startsWith(FILE)) return null;
  const path = written.slice(FILE.length);
  const slash = path.lastIndexOf("/") + 1;
  return { dir: path.slice(0, slash), name: path.slice(slash), from: from + FILE.length + slash };
}

const FILE = "file:";

/** A source of the editor's: the entries of the directory that is written, at once where they are known. */
function completePath(context: CompletionContext): CompletionResult | null | Promise<CompletionResult | null> {
  const bracket = bracketAt(context.state, context.pos);
  const path = bracket && pathIn(bracket);
  if (!path) return null;
  const known = listed(path.dir, path.name);
  if (known) return entries(known, path.from, bracket);
  const given = new AbortController();
  context.addEventListener("abort", () => given.abort());
  return list(path.dir, path.name, given.signal).then((found) => found && entries(found, path.from, bracket));
}

function entries(found: FilesReply, from: number, bracket: Bracket): CompletionResult {
  const options = found.entries.map(({ name, kind }, at): Completion => {
    const isDirectory = kind === "directory";
    const label = isDirectory ? `${name}/` : name;
    return {
      label,
      // Behind the words that begin as it is written, as all files.
      section: section("file"),
      displayLabel: escaped(head(label, 80)),
      detail: isDirectory ? "directory" : "",
      type: isDirectory ? "directory" : "conversation",
      // As the service lists them: what tools fill comes last.
      sortText: String(at).padStart(5, "0"),
      apply: isDirectory ? startsName(label) : closes(label, bracket),
    };
  });
  return { from, options, update: (_, __, ___, next) => knownPath(next) };
}

/** Returns the result for the next key; null for a new query. */
function knownPath(context: CompletionContext): CompletionResult | null {
  const found = completePath(context);
  return found instanceof Promise ? null : found;
}

function keys(bracket: Bracket): Completion[] {
  return variables.peek().map((one, at) => {
    const label = one.dynamic ? `${one.type}:` : `${one.type}:${one.name}`;
    return {
      label,
      section: section(one.type),
      detail: one.dynamic ? one.name : beside(one),
      type: one.stability,
      boost: -at,
      info: () => about(one),
      apply: one.dynamic ? startsName(label) : closes(label, bracket),
    };
  });
}

/** Likely paths that exist, those that this template names, and those that other templates of this tab have named; the existing ones first. */
function files(used: readonly { type: string; name: string; exists: boolean | null }[], bracket: Bracket, present: string): Completion[] {
  // What is being written is no suggestion, nor is what it was a moment ago.
  const finished = (name: string) => !present.startsWith(FILE + name);
  const named = used.filter(({ type, name, exists }) => type === "file" && (exists === true || finished(name))).map(({ name }) => name);
  const path = pathIn(bracket);
  // What the directory has comes with its entries, also while they are on their way.
  const known = path && listed(path.dir, path.name);
  const beside = (name: string) =>
    path !== null &&
    name.startsWith(path.dir) &&
    !name.includes("/", path.dir.length) &&
    (!known || known.entries.some((entry) => path.dir + entry.name === name));
  const paths = [...new Set([...likelyFiles.peek(), ...named, ...namedFiles])].filter((name) => !beside(name)).slice(0, 50);
  const exists = (path: string) => likelyFiles.peek().includes(path) || used.some((one) => one.type === "file" && one.name === path && one.exists === true);
  return paths.map((path) => ({
    label: `file:${path}`,
    section: section("file"),
    boost: exists(path) ? 2 : 1,
    displayLabel: escaped(head(`file:${path}`, 80)),
    detail: exists(path) ? "exists" : named.includes(path) ? "not found, used here" : "used in another template",
    type: "conversation",
    apply: closes(`file:${path}`, bracket),
  }));
}

/** `raw`: such blocks work here. */
function words(raw: boolean): Completion[] {
  const word = (label: string, detail: string, info: string, apply: Completion["apply"]): Completion => ({
    label,
    detail,
    info,
    type: "condition",
    section: section(label.startsWith("if") ? "condition" : "block"),
    apply: apply!,
  });
  return [
    word("if", "exists", "Text that is included only if something exists.", startsBlock("if ")),
    word("if !", "is missing", "Text that is included only if something does not exist.", startsBlock("if !")),
    word("else", "otherwise", "Text that is included if the condition is false.", closing("else]")),
    word("endif", "end of a condition", "Ends the innermost condition.", closing("endif]")),
    ...(raw
      ? [
          word("raw", "verbatim text", "Tags up to [endraw] are not evaluated.", closing("raw]")),
          word("endraw", "end of raw", "Ends a raw block.", closing("endraw]")),
        ]
      : []),
  ];
}

/** Last, and never alone: what is selected from the start is not the opposite of what was chosen. */
function negation(): Completion {
  return { label: "!", detail: "true if what follows is missing", type: "condition", section: section("negation"), apply: startsName("!") };
}

/** Whole tags, outside of brackets, on request. */
function wholeTags(): Completion[] {
  const plain = variables.peek().filter(({ dynamic }) => !dynamic);
  return plain.map((one) => ({
    label: `[${one.type}:${one.name}]`,
    section: section(one.type),
    detail: beside(one),
    type: one.stability,
    info: () => about(one),
  }));
}

function beside({ exists, value }: VariableEntry): string {
  if (exists === false) return "not found";
  if (value === "") return "empty";
  if (value == null) return "";
  const short = head(value, BESIDE);
  return escaped(short.replace(/\s+/g, " ")) + (short.length < value.length ? "…" : "");
}

function about(one: VariableEntry): Node {
  const box = document.createElement("div");
  const line = (text: string, name: string) => {
    box.appendChild(name === "about" ? messageElement("p", text) : document.createElement("p")).className = name;
    if (name !== "about") box.lastElementChild!.textContent = text;
  };
  line(`${one.description}.`, "about");
  if (one.value != null && one.value !== "") line(escaped(head(one.value, ABOUT)), "value");
  else if (one.dynamic && one.example) line(`Example: ${one.type}:${one.example}`, "soft");
  line(`${LASTS[one.stability][0]!.toUpperCase()}${LASTS[one.stability].slice(1)}; cost: ${one.cost}.`, "soft");
  return box;
}

type Apply = (view: EditorView, option: Completion, from: number, to: number) => void;

function put(view: EditorView, from: number, to: number, insert: string, caret: number): void {
  view.dispatch({
    changes: { from, to, insert },
    selection: { anchor: caret },
    scrollIntoView: true,
    userEvent: "input.complete",
  });
}

/** Writes what the name follows, and completes on. */
function startsName(text: string): Apply {
  return (view, _, from, to) => {
    put(view, from, to, text, from + text.length);
    startCompletion(view);
  };
}

/** Writes a condition with its end around nothing, as the list of variables does, and opens the completion of its key. */
function startsBlock(head: string): Apply {
  return (view, option, from, to) => {
    const { state } = view;
    const bracket = bracketAt(state, to);
    const rest = state.sliceDoc(to, state.doc.lineAt(to).to);
    // What has a name already becomes a condition of that name.
    if (!bracket || /^[^[\]]+\]/.test(rest)) return startsName(head)(view, option, from, to);
    const closed = rest.startsWith("]") ? 1 : 0;
    const gap = beginsLine(state, bracket.open) && rest.slice(closed).trim() === "" ? "\n" : "";
    put(view, from, to + closed, `${head}]${gap}${gap}[endif]`, from + head.length);
    startCompletion(view);
  };
}

/** Typing the bracket that closes the head of a condition moves over an existing one. */
const walkOver = EditorView.inputHandler.of((view, from, to, text) => {
  if (text !== "]" || from !== to || view.state.sliceDoc(from, from + 1) !== "]") return false;
  if (!bracketAt(view.state, from)?.condition) return false;
  view.dispatch({ selection: { anchor: from + 1 }, userEvent: "select" });
  return true;
});

/** Writes a whole tag; an existing closing bracket is used. */
function closing(text: string): Apply {
  return (view, _, from, to) => {
    const taken = view.state.sliceDoc(to, to + 1) === "]" ? 1 : 0;
    put(view, from, to + taken, text, from + text.length);
  };
}

/** Writes a key and closes its tag. A condition that has no end yet gets one, and the caret goes to its branch. */
function closes(key: string, bracket: Bracket): Apply {
  return (view, _, from, to) => {
    const { state } = view;
    const line = state.doc.lineAt(to);
    const after = /^[^[\]]*\]/.exec(state.sliceDoc(to, line.to));
    if (!bracket.condition || after) {
      const end = after ? to + after[0].length : to;
      // An empty branch on lines of its own is what is written next.
      const empty = bracket.condition && /^\n\n/.test(state.sliceDoc(end, end + 2)) ? 1 : 0;
      put(view, from, end, `${key}]`, from + key.length + 1 + empty);
      return;
    }
    const lines = beginsLine(state, bracket.open) && /^\s*$/.test(state.sliceDoc(to, line.to));
    const gap = lines ? "\n" : "";
    put(view, from, to, `${key}]${gap}${gap}[endif]`, from + key.length + 1 + gap.length);
  };
}
