// The list of variables, files and blocks. A row inserts its tag at the caret; the button beside it inserts a condition.
import { signal, useSignalEffect } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { VariableEntry } from "../../api/types";
import { escaped, head, Shown } from "../../shown";
import { Button, keepsFocus } from "../../ui/button";
import { SearchField } from "../../ui/search-field";
import { inField } from "../desk";
import { LASTS, variables, variablesAreRead } from "../context";
import { filesAreRead, likelyFiles } from "../files";
import { insertBlock, insertKey, type Block } from "../text/insert";
import { NameField } from "./name-field";
import { groupsOf, type Group, type Row } from "./palette-rows";

const words = signal("");

/** True from an Enter in the search until what it is for is known: it may come before the list is here. */
const entered = signal(false);

const found = (): readonly Group[] => groupsOf(variables.value, likelyFiles.value, words.value.trim().toLowerCase());
const isRead = (): boolean => variablesAreRead.value && filesAreRead.value;

const BLOCKS: readonly { block: Block; label: string; about: string }[] = [
  { block: "if", label: "If it exists", about: "Text that is included only if something exists" },
  { block: "if-not", label: "If it is missing", about: "Text that is included only if something does not exist" },
  { block: "if-else", label: "If … else", about: "One text if something exists, another if not" },
];

/** The number of characters of a value in its row. */
const BESIDE = 60;

export function Palette() {
  const box = useRef<HTMLDivElement>(null);
  const wanted = words.value.trim().toLowerCase();
  const groups = found();
  useSignalEffect(() => {
    if (!entered.value || !isRead()) return;
    entered.value = false;
    const first = found().flatMap(({ rows }) => rows)[0];
    if (first) insert(first.key);
  });

  const rows = () => [...(box.current?.querySelectorAll<HTMLElement>(".row-main") ?? [])];
  const step = (event: KeyboardEvent) => {
    const all = rows();
    const at = all.findIndex((row) => row.parentElement?.contains(document.activeElement));
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    const target = to === undefined || (at < 0 && event.key !== "ArrowDown") ? undefined : all[Math.min(Math.max(to, 0), all.length - 1)];
    if (target) target.focus();
    else if (event.key === "ArrowRight" && at >= 0) all[at]!.parentElement!.querySelector<HTMLElement>(".row-if")?.focus();
    else if (event.key === "ArrowLeft" && at >= 0) all[at]!.focus();
    else return;
    event.preventDefault();
  };

  // Tab stops at one row; the arrow keys go along the others. Else the way to the text would be as long as the list.
  const stopAt = (row: Element | null) => {
    const all = rows();
    const stop = all.find((one) => one === row) ?? all[0];
    for (const one of all) one.tabIndex = one === stop ? 0 : -1;
  };
  useLayoutEffect(() => stopAt(document.activeElement));

  return (
    <div class="palette">
      <div class="palette-search" onFocusOut={() => (entered.value = false)}>
        <SearchField
          label="Search variables"
          placeholder="Search"
          value={words.value}
          onValue={(value) => ((words.value = value), (entered.value = false))}
          onKeyDown={(event) => {
            if (event.key === "ArrowDown") rows()[0]?.focus();
            else if (event.key === "Enter") entered.value = true;
            else return;
            event.preventDefault();
          }}
        />
      </div>
      <div class="palette-list" ref={box} onKeyDown={step} onFocusIn={(event) => stopAt(event.target as Element)}>
        {wanted === "" && <Blocks />}
        {groups.map((group) => (
          <GroupRows key={group.title} group={group} />
        ))}
        {groups.length === 0 && wanted !== "" && (
          <p class="soft palette-none">{isRead() ? "No variables match by name, value or description." : "Loading…"}</p>
        )}
      </div>
    </div>
  );
}

function GroupRows({ group: { title, rows, dynamic } }: { group: Group }) {
  return (
    <section class="group" aria-label={title}>
      <h3>{title}</h3>
      <ul>
        {rows.map(({ key, name, entry: one }) => (
          <VariableRow key={key} text={key} name={name} entry={one} />
        ))}
      </ul>
      {dynamic.map((one) => (
        <NameField key={one.type} entry={one} insert={insert} />
      ))}
    </section>
  );
}

function VariableRow({ name, entry, text }: Omit<Row, "key"> & { text: string }) {
  const about = `${entry.description}. ${LASTS[entry.stability][0]!.toUpperCase()}${LASTS[entry.stability].slice(1)}.`;
  return (
    <li class="row">
      <button type="button" class={`row-main lasts-${entry.stability}`} title={about} {...keepsFocus} onClick={() => insert(text)}>
        <span class="row-name">
          <Shown text={name} most={48} />
        </span>
        <Value entry={entry} />
      </button>
      <button
        type="button"
        class="row-if"
        tabIndex={-1}
        aria-label={`If ${escaped(head(text, 60))} exists`}
        title={`Insert [if ${escaped(head(text, 60))}]`}
        {...keepsFocus}
        onClick={() => block("if", text)}
      >
        if
      </button>
    </li>
  );
}

function Value({ entry: { exists, value, dynamic, example } }: { entry: VariableEntry }) {
  if (exists === false) return <span class="row-value absent">not found</span>;
  if (value === "") return <span class="row-value absent">empty</span>;
  if (value == null) return dynamic ? null : <span class="row-value absent">{example === "" ? "" : `e.g. ${head(example.trim(), 30)}`}</span>;
  const short = head(value, BESIDE);
  return (
    <span class="row-value">
      {escaped(short.replace(/\s+/g, " ").trim())}
      {short.length < value.length && "…"}
    </span>
  );
}

function Blocks() {
  return (
    <section class="group" aria-label="Conditions">
      <h3>Conditions</h3>
      <div class="blocks">
        {BLOCKS.map(({ block: which, label, about }) => (
          <Button key={which} small class="block-button" title={about} {...keepsFocus} onClick={() => block(which)}>
            {label}
          </Button>
        ))}
      </div>
    </section>
  );
}

function insert(key: string): void {
  inField((view) => insertKey(view, key));
}

function block(which: Block, key = ""): void {
  inField((view) => insertBlock(view, which, key));
}
