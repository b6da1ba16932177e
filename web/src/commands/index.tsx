// The command palette: actions, templates and diagnostics, found by a few of their letters.
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { readTemplates } from "../api/templates";
import { expectNew, goToPlace, packed, session } from "../edit/desk";
import { inText } from "../edit/layout";
import { isName } from "../edit/name";
import { MAIN } from "../edit/stored";
import { MARKS, words } from "../edit/text/findings";
import { commandsShown } from "../keys";
import { go, route } from "../route";
import { escaped, head } from "../shown";
import { Dialog } from "../ui/dialog";
import { Icon } from "../ui/icon";
import { GROUPS } from "./actions";
import { fuzzy } from "./fuzzy";

export { KeysDialog } from "./keys-dialog";

interface Row {
  /** The kind, for the end of the row. */
  group: string;
  label: string;
  keys?: readonly string[] | undefined;
  run: () => void;
  places?: readonly number[];
}

/** The number of rows that are drawn. */
const MOST = 60;
const MOST_DIAGNOSTICS = 200;

export function CommandsDialog() {
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const [templates, setTemplates] = useState<readonly string[]>([]);
  const [isRead, setIsRead] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  const id = useId();
  useEffect(() => {
    // Without the list, the actions are found all the same.
    readTemplates((found) => setTemplates(found.map(({ name }) => name))).then(() => setIsRead(true), () => {});
  }, []);
  const rows = rowsFor(query, templates, isRead);
  const current = Math.min(at, rows.length - 1);
  useLayoutEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [current, query]);

  const close = () => (commandsShown.value = false);
  const choose = (row: Row | undefined) => {
    if (!row) return;
    close();
    // The dialog gives the focus back first; what runs may take it elsewhere.
    requestAnimationFrame(row.run);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const page = 10;
    const to = { ArrowDown: current + 1, ArrowUp: current - 1, PageDown: current + page, PageUp: current - page }[event.key];
    if (event.isComposing) return;
    if (to !== undefined) {
      const isStep = Math.abs(to - current) === 1;
      setAt(isStep ? (to + rows.length) % Math.max(rows.length, 1) : Math.min(Math.max(to, 0), rows.length - 1));
    } else if (event.key === "Enter") choose(rows[current]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Commands" size="medium" onClose={close}>
      <div class="commands">
        <div class="search-field">
          <Icon name="search" size={16} />
          <input
            type="text"
            role="combobox"
            aria-label="Find a command, template or diagnostic"
            aria-autocomplete="list"
            aria-expanded={rows.length > 0}
            aria-controls={`${id}-list`}
            aria-activedescendant={rows.length > 0 ? `${id}-${current}` : undefined}
            placeholder="Find a command, template or diagnostic"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            value={query}
            onInput={(event) => (setQuery(event.currentTarget.value), setAt(0))}
            onKeyDown={onKeyDown}
          />
        </div>
        <p class="sr" role="status">
          {rows.length === 0 ? "Nothing found." : `${rows.length} found.`}
        </p>
        {rows.length === 0 && <p class="soft commands-none">Nothing found.</p>}
        <ul role="listbox" id={`${id}-list`} aria-label="Commands" ref={list} tabIndex={-1} hidden={rows.length === 0}>
          {rows.map((row, index) => (
            <li
              key={`${row.group} ${row.label} ${index}`}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === current}
              // The caret stays in the field.
              onMouseDown={(event) => event.preventDefault()}
              onMouseMove={() => index !== current && setAt(index)}
              onClick={() => choose(row)}
            >
              <span class="command-label">
                <Marked label={row.label} places={row.places ?? []} />
              </span>
              {row.keys ? (
                <span class="command-keys">
                  {row.keys.map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </span>
              ) : (
                <span class="soft small">{row.group}</span>
              )}
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  );
}

function Marked({ label, places }: { label: string; places: readonly number[] }) {
  const marked = new Set(places);
  const runs: { text: string; is: boolean }[] = [];
  for (let at = 0; at < label.length; at++) {
    const is = marked.has(at);
    const last = runs.at(-1);
    if (last?.is === is) last.text += label[at];
    else runs.push({ text: label[at]!, is });
  }
  return <>{runs.map(({ text, is }, at) => (is ? <b key={at}>{text}</b> : text))}</>;
}

function rowsFor(query: string, templates: readonly string[], isRead: boolean): Row[] {
  const all = [...actions(), ...templateRows(templates), ...diagnostics()];
  const wanted = query.trim();
  if (wanted === "") return all.slice(0, MOST);
  const found = all.flatMap((row) => {
    const match = fuzzy(wanted, row.label);
    return match ? [{ row: { ...row, places: match.places }, score: match.score }] : [];
  });
  const rows = found.sort((one, other) => other.score - one.score).map(({ row }) => row);
  const isNew = isRead && isName(wanted) && wanted !== MAIN && !templates.includes(wanted);
  const create = { group: "Template", label: `Create template ${wanted}`, run: () => (expectNew(wanted), go("edit", wanted)) };
  return [...rows.slice(0, MOST), ...(isNew ? [create] : [])];
}

function actions(): Row[] {
  return GROUPS.flatMap(({ title, actions: some }) =>
    some.flatMap(({ what, keys, run, can }) => (run && (can?.() ?? true) && what !== "Show all commands" ? [{ group: title, label: what, keys, run }] : [])),
  );
}

function templateRows(names: readonly string[]): Row[] {
  const all = names.includes(MAIN) ? names : [MAIN, ...names];
  const open = route.peek().screen === "edit" ? session.peek()?.name : undefined;
  return all.filter((name) => name !== open).map((name) => ({ group: "Template", label: `Open ${escaped(name)}`, run: () => go("edit", name) }));
}

function diagnostics(): Row[] {
  if (route.peek().screen !== "edit") return [];
  return (packed.peek()?.notes ?? []).slice(0, MOST_DIAGNOSTICS).map((note) => ({
    group: "Diagnostic",
    label: `${MARKS[note.severity]} ${note.line}:${note.column} ${head(words(note), 160).replace(/`/g, "")}`,
    run: () => inText(() => goToPlace(note.utf16)),
  }));
}
