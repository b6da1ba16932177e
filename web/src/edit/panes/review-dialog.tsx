// The review of a text before it is saved: what changes in the template and in the built prompt, which diagnostics are new, and the note and
// the labels of the new version.
import "../../shell"; // Part of the first load already; the import keeps that in one chunk.
import { useMemo, useState } from "preact/hooks";
import { amount } from "../../amount";
import { mod } from "../../keys";
import type { Note } from "../../api/types";
import { escaped, Shown } from "../../shown";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { useKeptField } from "../../ui/kept-field";
import { TabPanel, Tabs } from "../../ui/tabs";
import { BuiltView, gained, useBuilt, type BuiltPair, type Pair, type ToBuild } from "../../versions/built";
import { CompareView } from "../../versions/compare-view";
import type { Packed } from "../analysis/packed";
import { currentInputs, tried, valuesSet } from "../context";
import type { Session } from "../session";
import { verdict } from "./cache-strip";
import { Finding } from "./findings-pane";
import { isLabel, labelsOf } from "./labels";
import { labelsField, moves, noteField, saveWith } from "./plan";

const LABEL = "Review";
const LONGEST_NOTE = 2000;

type Tab = "template" | "prompt" | "findings";

export function ReviewDialog({ session, close }: { session: Session; close: () => void }) {
  const [{ from, to }] = useState(() => sidesOf(session));
  const built = useBuilt(from, to);
  const [tab, setTab] = useState<Tab>("template");
  const [note, setNote] = useKeptField(noteField(session.name));
  const [labels, setLabels] = useKeptField(labelsField(session.name));
  const fresh = useMemo(() => (built.phase === "ready" ? added(...built.pair) : []), [built]);
  const wanted = [...new Set(labels.split(/[\s,]+/).filter(Boolean))];
  const wrong = wanted.find((one) => !isLabel(one));

  const save = () => {
    if (wrong !== undefined) return;
    close();
    void saveWith(session, { note: note.trim(), labels: wanted }, (text) => session.save(text));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const enters = event.key === "Enter" && (event.ctrlKey || event.metaKey || event.target instanceof HTMLInputElement);
    if (!enters) return;
    event.preventDefault();
    save();
  };
  const worst = fresh.some(({ severity }) => severity === "error") ? "error" : "";
  return (
    <Dialog
      title={`Review ${session.name}`}
      size="wide"
      onClose={close}
      actions={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button kind="main" disabled={wrong !== undefined} onClick={save}>
            Save
          </Button>
        </>
      }
    >
      <div class="review" onKeyDown={onKeyDown}>
        <p role="status" class={`review-sum ${worst}`}>
          {summary(built, fresh)}
          {valuesSet.value.length > 0 && <span class="soft"> Built with the values that are set: {escaped(valuesSet.value.join(", "))}.</span>}
        </p>
        {session.newer.value && (
          <p role="status" class="trouble-words">
            Version {session.newer.value.version} was saved by another client. Save stores nothing yet and keeps the note and
            the labels; <b>Resolve…</b>, above the text, shows both texts and saves with them.
          </p>
        )}
        <Tabs
          label={LABEL}
          tabs={[
            { id: "template", label: "Template" },
            { id: "prompt", label: "Built prompt" },
            { id: "findings", label: "Diagnostics", badge: fresh.length > 0 ? String(fresh.length) : undefined },
          ]}
          current={tab}
          onChange={setTab}
        />
        <TabPanel label={LABEL} id="template" current={tab}>
          {tab === "template" && <CompareView left={{ label: from.label, text: from.template }} right={{ label: to.label, text: to.template }} />}
        </TabPanel>
        <TabPanel label={LABEL} id="prompt" current={tab}>
          {tab === "prompt" && <BuiltView from={from} to={to} built={built} />}
        </TabPanel>
        <TabPanel label={LABEL} id="findings" current={tab}>
          <NewFindings built={built} notes={fresh} close={close} />
        </TabPanel>
        <div class="review-fields">
          <label class="label">
            Note
            <input
              class="field block"
              maxLength={LONGEST_NOTE}
              value={note}
              placeholder="What did you change, and why?"
              autocomplete="off"
              onInput={(event) => setNote(event.currentTarget.value)}
            />
          </label>
          <div class="review-labels">
            <label class="label">
              Labels
              <input
                class="field block"
                value={labels}
                placeholder="none; for example: prod"
                autocomplete="off"
                autocapitalize="off"
                spellcheck={false}
                aria-invalid={wrong !== undefined}
                aria-describedby="review-labels-note"
                onInput={(event) => setLabels(event.currentTarget.value)}
              />
            </label>
            <KnownLabels name={session.name} wanted={wanted} onWanted={(next) => setLabels(next.join(", "))} />
          </div>
          <p class="soft small" id="review-labels-note" role="status">
            {labelWords(session.name, wanted, wrong)}
          </p>
        </div>
      </div>
    </Dialog>
  );
}

/** The labels that the template has: each can be moved to the new version. */
function KnownLabels({ name, wanted, onWanted }: { name: string; wanted: readonly string[]; onWanted: (wanted: string[]) => void }) {
  const known = labelsOf(name);
  if (known.length === 0) return null;
  const toggle = (label: string) => onWanted(wanted.includes(label) ? wanted.filter((one) => one !== label) : [...wanted, label]);
  return (
    <ul class="labels" aria-label={`Labels of ${name}, to move`}>
      {known.map(({ label, version }) => (
        <li key={label}>
          <button type="button" class="pill label-toggle" aria-pressed={wanted.includes(label)} onClick={() => toggle(label)}>
            <Shown text={label} most={24} /> <span class="soft">on {version}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

function labelWords(name: string, wanted: readonly string[], wrong: string | undefined): string {
  if (wrong !== undefined) return `${escaped(wrong)}: use letters, digits, “-”, “_” and “.”, and start with a letter.`;
  return moves(name, wanted) || `Enter or ${mod} Enter saves. What is typed here is kept until it is used.`;
}

function NewFindings({ built, notes, close }: { built: BuiltPair; notes: readonly Note[]; close: () => void }) {
  if (built.phase === "loading") return <p class="waiting">Checking…</p>;
  if (built.phase === "failed") return <p class="empty">{built.trouble}</p>;
  if (notes.length === 0) return <p class="empty">No new diagnostics.</p>;
  return (
    <ul class="findings">
      {notes.map((note, at) => (
        <Finding key={at} note={note} leave={close} />
      ))}
    </ul>
  );
}

function sidesOf(session: Session): { from: ToBuild; to: ToBuild } {
  const base = session.base.peek();
  const version = base?.version ?? 0;
  const options = { ...currentInputs(), ...tried() };
  const stored = version > 0 ? `Version ${version}` : base?.missing ? "Empty" : "Built-in default";
  const name = version > 0 ? `version ${version}` : base?.missing ? "an empty text" : "the built-in default";
  return {
    from: { label: stored, name, template: base?.text ?? "", options },
    to: { label: "Your text", name: "your text", template: session.text, options },
  };
}

function summary(built: BuiltPair, fresh: readonly Note[]): string {
  if (built.phase === "loading") return "Building both prompts…";
  if (built.phase === "failed") return "The prompts could not be built.";
  const gone = built.pair[0].notes.length + fresh.length - built.pair[1].notes.length;
  const counts = [fresh.length > 0 && amount(fresh.length, "new diagnostic"), gone > 0 && `${amount(gone, "diagnostic")} resolved`];
  return [gained(built.pair), cacheable(built.pair), sentence(counts.filter(Boolean).join(", "))].filter(Boolean).join(" ");
}

/** Returns how much of the prompt a service can cache, if that changes. */
function cacheable([{ preview: before }, { preview: after }]: Pair): string {
  if (!before || !after || verdict(before) === verdict(after)) return "";
  return `${verdict(after)} (before: ${verdict(before).toLowerCase()}).`;
}

const sentence = (words: string): string => (words === "" ? "" : `${words}.`);

/** Returns the diagnostics that the text before does not have, wherever they are. */
function added(before: Packed, after: Packed): Note[] {
  const key = ({ code, message }: Note) => `${code}\n${message}`;
  const known = new Map<string, number>();
  for (const note of before.notes) known.set(key(note), (known.get(key(note)) ?? 0) + 1);
  return after.notes.filter((note) => {
    const left = known.get(key(note)) ?? 0;
    known.set(key(note), left - 1);
    return left <= 0;
  });
}
