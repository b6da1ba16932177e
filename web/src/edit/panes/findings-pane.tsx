// The diagnostics of the template; a click moves to the location, some have a fix.
import { amount } from "../../amount";
import type { Note } from "../../api/types";
import { Spoken } from "../../spoken";
import { Button } from "../../ui/button";
import { notPermitted, trouble } from "../analysis/analyzer";
import { goToPlace, packed, textField } from "../desk";
import { inText } from "../layout";
import { fix, fixLabel, words } from "../text/findings";

/** The number of diagnostics shown; the rest is counted. */
const MOST = 200;

const MARKS = { error: "Error", warning: "Warning", info: "Info" };

/** Returns the text shown instead of an empty list. */
function instead(): string {
  if (packed.value) return packed.value.notes.length === 0 ? "No problems found." : "";
  if (notPermitted.value) return "Not checked: the access token does not permit it.";
  return trouble.value === "" ? "Checking…" : "Not checked.";
}

export function FindingsPane() {
  const none = instead();
  const notes = packed.value?.notes ?? [];
  const left = (packed.value?.notesLeft ?? 0) + Math.max(0, notes.length - MOST);
  return (
    <div class="findings">
      {none !== "" && <p class="soft findings-none">{none}</p>}
      <ul>
        {notes.slice(0, MOST).map((note, at) => (
          <Finding key={`${note.code} ${note.range[0]} ${at}`} note={note} />
        ))}
      </ul>
      {left > 0 && <p class="soft findings-none">And {amount(left, "more diagnostic")}.</p>}
    </div>
  );
}

function Finding({ note }: { note: Note }) {
  const go = () => inText(() => goToPlace(note.utf16));
  const settle = () =>
    inText(() => {
      const view = textField();
      if (view) fix(view, note);
    });
  return (
    <li>
      <button type="button" class="finding" onClick={go}>
        <span class={`severity ${note.severity}`}>{MARKS[note.severity]}</span>
        <span class="finding-at">
          {note.line}:{note.column}
        </span>
        <span class="finding-what">
          <Spoken text={words(note)} />
        </span>
      </button>
      {note.edit && (
        <Button small onClick={settle} title={fixLabel(note)}>
          Fix
        </Button>
      )}
    </li>
  );
}
