// The diagnostics of the template; a click moves to the place, some have a fix.
import { signal } from "@preact/signals";
import { amount } from "../../amount";
import type { Note, Severity } from "../../api/types";
import { MessageText } from "../../message-text";
import { Button } from "../../ui/button";
import { notPermitted, trouble } from "../analysis/analyzer";
import { goToPlace, noteCount, packed, textField } from "../desk";
import { inText } from "../layout";
import { fix, fixLabel, MARKS, words } from "../text/findings";
import { useSettled } from "./cache-strip";

/** The number of diagnostics shown; the rest is counted. */
const MOST = 200;

/** Returns the text shown instead of an empty list. */
function instead(): string {
  if (packed.value) return packed.value.notes.length === 0 ? "No problems found." : "";
  if (notPermitted.value) return "Not checked: the access token does not permit it.";
  return trouble.value === "" ? "Checking…" : "Not checked.";
}

/** The severity that is shown alone; empty for all. */
const only = signal<Severity | "">("");
const grouped = signal(false);

const SEVERITIES: readonly Severity[] = ["error", "warning", "info"];

/** From so many diagnostics on they can be filtered and grouped. */
const MANY = 4;

export function FindingsPane() {
  const none = instead();
  const all = packed.value?.notes ?? [];
  // A filter that would hide all of them is not applied.
  const severity = all.some((note) => note.severity === only.value) ? only.value : "";
  const notes = severity === "" ? all : all.filter((note) => note.severity === severity);
  const left = (packed.value?.notesLeft ?? 0) + Math.max(0, notes.length - MOST);
  return (
    <div class="findings">
      <p class="sr" role="status" aria-label="Number of diagnostics">
        {useSettled(packed.value ? `${amount(noteCount.value, "diagnostic")}.` : "")}
      </p>
      {none !== "" && <p class="soft findings-none">{none}</p>}
      {all.length >= MANY && <Filter all={all} severity={severity} />}
      {grouped.value && all.length >= MANY ? groupsOf(notes.slice(0, MOST)).map(([code, some]) => <Group key={code} code={code} notes={some} />) : <Rows notes={notes.slice(0, MOST)} />}
      {left > 0 && <p class="soft findings-none">And {amount(left, "more diagnostic")}.</p>}
    </div>
  );
}

function Filter({ all, severity }: { all: readonly Note[]; severity: Severity | "" }) {
  const count = (wanted: Severity) => all.filter((note) => note.severity === wanted).length;
  const present = SEVERITIES.filter((wanted) => count(wanted) > 0);
  return (
    <div class="findings-filter" role="group" aria-label="Filter diagnostics">
      {present.length > 1 && (
        <>
          <Toggle on={severity === ""} label={`All ${all.length}`} act={() => (only.value = "")} />
          {present.map((wanted) => (
            <Toggle key={wanted} on={severity === wanted} label={amount(count(wanted), wanted)} act={() => (only.value = severity === wanted ? "" : wanted)} />
          ))}
        </>
      )}
      <Toggle on={grouped.value} label="Group by code" act={() => (grouped.value = !grouped.value)} />
      <span class="soft small">Select one to go to its place.</span>
    </div>
  );
}

function Toggle({ on, label, act }: { on: boolean; label: string; act: () => void }) {
  return (
    <button type="button" class="pill" aria-pressed={on} onClick={act}>
      {label}
    </button>
  );
}

/** The diagnostics by code, the most severe codes first, then the most frequent. */
function groupsOf(notes: readonly Note[]): [code: string, notes: readonly Note[]][] {
  const groups = new Map<string, Note[]>();
  for (const note of notes) groups.set(note.code, [...(groups.get(note.code) ?? []), note]);
  const rank = (some: readonly Note[]) => SEVERITIES.indexOf(some[0]!.severity);
  return [...groups].sort(([, one], [, other]) => rank(one) - rank(other) || other.length - one.length);
}

function Group({ code, notes }: { code: string; notes: readonly Note[] }) {
  const severity = notes[0]!.severity;
  return (
    <details class="findings-group">
      <summary>
        <span class={`severity ${severity}`}>{MARKS[severity]}</span> <code>{code}</code> <span class="soft">{amount(notes.length, "place")}</span>
      </summary>
      <Rows notes={notes} />
    </details>
  );
}

function Rows({ notes }: { notes: readonly Note[] }) {
  return (
    <ul>
      {notes.map((note, at) => (
        <Finding key={`${note.code} ${note.range[0]} ${at}`} note={note} />
      ))}
    </ul>
  );
}

/** A diagnostic. In a dialog, `leave` closes that before the text is shown. */
export function Finding({ note, leave }: { note: Note; leave?: () => void }) {
  const inTextField = (act: () => void) => {
    leave?.();
    // A dialog that closes gives the focus back first.
    if (leave) requestAnimationFrame(() => inText(act));
    else inText(act);
  };
  const go = () => inTextField(() => goToPlace(note.utf16));
  const settle = () =>
    inTextField(() => {
      const view = textField();
      if (view) fix(view, note);
    });
  return (
    <li>
      <button type="button" class="finding" title="Go to this place in the template" onClick={go}>
        <span class={`severity ${note.severity}`}>{MARKS[note.severity]}</span>
        <span class="finding-at">
          {note.line}:{note.column}
        </span>
        <span class="finding-what">
          <MessageText text={words(note)} />
        </span>
      </button>
      {note.edit && (
        <Button small class="fix" onClick={settle}>
          {fixLabel(note)}
        </Button>
      )}
    </li>
  );
}
