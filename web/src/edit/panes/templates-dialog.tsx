// Selects a template, or creates one.
import { useEffect, useState } from "preact/hooks";
import { ago, size } from "../../amount";
import { messageOf } from "../../api/problem";
import { readTemplates } from "../../api/templates";
import type { TemplateEntry } from "../../api/types";
import { go } from "../../route";
import { Shown } from "../../shown";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { SearchField } from "../../ui/search-field";
import { VirtualList } from "../../ui/virtual-list";
import { expectNew, session } from "../desk";
import { isName, NAME_RULE } from "../name";
import { MAIN } from "../stored";
import { unsaved } from "../unsaved";

interface Row {
  name: string;
  isNew?: boolean;
  about: string;
}

export function TemplatesDialog({ close, showUnsaved }: { close: () => void; showUnsaved: () => void }) {
  const [entries, setEntries] = useState<readonly TemplateEntry[] | null>(null);
  // Before all of them are read, it is unknown if a name is new.
  const [complete, setComplete] = useState(false);
  const [trouble, setTrouble] = useState("");
  const [words, setWords] = useState("");
  const [at, setAt] = useState(0);
  // An Enter before the list is loaded takes effect after loading.
  const [entered, setEntered] = useState(false);
  useEffect(() => {
    readTemplates(setEntries).then(() => setComplete(true), (error: unknown) => setTrouble(messageOf(error)));
  }, []);

  const wanted = words.trim();
  const rows = rowsOf(entries ?? [], wanted.toLowerCase());
  const isNew = wanted !== "" && isName(wanted) && complete && !rows.some(({ name }) => name === wanted);
  const all: Row[] = isNew ? [...rows, { name: wanted, isNew: true, about: "Create a template with this name" }] : rows;
  const choose = (row: Row | undefined) => {
    if (!row) return;
    close();
    if (row.isNew) expectNew(row.name);
    go("edit", row.name);
  };
  useEffect(() => {
    if (entered && complete) choose(all[at]);
  }, [entered, complete]);
  return (
    <Dialog title="Templates" size="medium" onClose={close} actions={<Button onClick={showUnsaved}>Unsaved texts</Button>}>
      <p class="soft">
        Conversations use <code>main</code> by default and others by name. Type a new name to create a template.
      </p>
      <div class="templates">
        <SearchField
          label="Find or create a template"
          value={words}
          onValue={(value) => (setWords(value), setAt(0), setEntered(false))}
          onKeyDown={(event) => {
            const to = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
            if (to !== undefined) setAt(Math.min(Math.max(to, 0), all.length - 1));
            else if (event.key !== "Enter") return;
            else if (complete || all[at]?.name === wanted) choose(all[at]);
            else setEntered(true);
            event.preventDefault();
          }}
        />
        {wanted !== "" && !isName(wanted) && (
          <p class="small name-rule" role="status">
            {NAME_RULE}
          </p>
        )}
        <VirtualList
          label="Templates"
          items={all}
          rowHeight={52}
          current={at}
          onCurrent={setAt}
          onOpen={choose}
          row={(row) => (
            <div class="template-row" onClick={() => choose(row)}>
              <span class="template-name">
                <Shown text={row.name} most={64} />
                {unsaved.value.has(row.name) && <span class="pill turn">unsaved</span>}
                {row.name === session.value?.name && <span class="pill">open</span>}
              </span>
              <span class="soft small">{row.about}</span>
            </div>
          )}
        />
        {trouble && <p role="alert">{trouble}</p>}
      </div>
    </Dialog>
  );
}

function rowsOf(entries: readonly TemplateEntry[], words: string): Row[] {
  const rows = entries.map(({ name, version, at, bytes, reset }) => ({
    name,
    about: reset ? "deleted" : `version ${version}, ${size(bytes)}, ${ago(at)}`,
  }));
  if (!rows.some(({ name }) => name === MAIN)) rows.unshift({ name: MAIN, about: "built-in default" });
  rows.sort((one, other) => Number(other.name === MAIN) - Number(one.name === MAIN));
  return rows.filter(({ name }) => name.toLowerCase().includes(words));
}
