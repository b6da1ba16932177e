// Saves with a note that is shown with the version.
import { useState } from "preact/hooks";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import type { Session } from "../session";

const LONGEST = 2000;

export function NoteDialog({ session, close }: { session: Session; close: () => void }) {
  const [note, setNote] = useState("");
  const save = () => {
    close();
    void session.save(note.trim());
  };
  return (
    <Dialog
      title="Save with a note"
      onClose={close}
      actions={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button kind="main" onClick={save}>
            Save
          </Button>
        </>
      }
    >
      <label class="label" for="note">
        What did you change, and why?
      </label>
      <input
        class="field block"
        id="note"
        maxLength={LONGEST}
        value={note}
        autocomplete="off"
        onInput={(event) => setNote(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Enter" && save()}
      />
    </Dialog>
  );
}
