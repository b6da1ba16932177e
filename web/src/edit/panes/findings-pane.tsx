// What is to be said of the template, line by line; each leads to its place, and some settle themselves.
import { amount } from "../../amount";
import type { Note } from "../../api/types";
import { Spoken } from "../../spoken";
import { Button } from "../../ui/button";
import { notPermitted, trouble } from "../analysis/analyzer";
import { goToPlace, packed, textField } from "../desk";
import { inText } from "../layout";
import { fix, fixLabel, words } from "../text/findings";

/** So many are listed; the others are told of once these are settled. */
const MOST = 200;

const MARKS = { error: "Error", warning: "Warning", info: "Note" };

/** What stands in place of the list; empty where nothing does. */
function instead(): string {
  if (packed.value) return packed.value.notes.length === 0 ? "Nothing to say about this template." : "";
  if (notPermitted.value) return "The template was not looked at: the access token does not permit it.";
  return trouble.value === "" ? "The template is being looked at." : "The template was not looked at.";
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
      {left > 0 && <p class="soft findings-none">And {amount(left, "more finding")}.</p>}
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
