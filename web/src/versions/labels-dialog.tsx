// Adds, moves and removes labels of a version. A label belongs to one version at a time; `name@label` selects it.
import { useState } from "preact/hooks";
import { messageOf } from "../api/problem";
import { isLabel } from "../edit/panes/labels";
import { escaped, Shown } from "../shown";
import { Button, IconButton } from "../ui/button";
import { Dialog } from "../ui/dialog";
import type { History } from "./history";

export function LabelsDialog({ history, version, close }: { history: History; version: number; close: () => void }) {
  const [label, setLabel] = useState("");
  const [trouble, setTrouble] = useState("");
  // A toast would be hidden by the dialog.
  const [status, setStatus] = useState("");
  const items = history.items.value;
  const here = items.find((one) => one.version === version)?.labels ?? [];
  const elsewhere = items.filter((one) => one.version !== version).flatMap((one) => one.labels.map((name) => ({ name, version: one.version })));
  const name = label.trim();
  const moved = elsewhere.find((one) => one.name === name);
  const good = isLabel(name) && !here.includes(name);

  const done = async (work: Promise<void>, words: string) => {
    setTrouble("");
    try {
      await work;
      setLabel("");
      setStatus(words);
    } catch (error) {
      setTrouble(messageOf(error));
    }
  };
  const put = (wanted: string) => done(history.setLabel(wanted, version), `Label “${wanted}” set on version ${version}.`);
  const take = (wanted: string) => done(history.removeLabel(wanted), `Label “${escaped(wanted)}” removed.`);

  return (
    <Dialog title={`Labels of version ${version}`} onClose={close} actions={<Button onClick={close}>Done</Button>}>
      <p class="soft">
        Conversations that request <code>{history.name}@label</code> use the version with that label instead of the current one.
      </p>
      {here.length > 0 ? (
        <ul class="labels" aria-label="Labels of this version">
          {here.map((one) => (
            <li key={one} class="pill static">
              <Shown text={one} most={64} />
              <IconButton label={`Remove ${escaped(one)}`} icon="close" onClick={() => void take(one)} />
            </li>
          ))}
        </ul>
      ) : (
        <p class="labels-none">No labels.</p>
      )}
      <form
        class="labels-new"
        onSubmit={(event) => {
          event.preventDefault();
          if (good) void put(name);
        }}
      >
        <label class="label" for="new-label">
          New label
        </label>
        <input
          class="field"
          id="new-label"
          value={label}
          maxLength={64}
          autocomplete="off"
          spellcheck={false}
          aria-describedby="new-label-note"
          onInput={(event) => setLabel(event.currentTarget.value)}
        />
        <Button kind="main" type="submit" disabled={!good}>
          {moved ? "Move here" : "Add"}
        </Button>
        <p class="soft small" id="new-label-note" role="status">
          {(name === "" && status) || note(name, here, moved?.version)}
        </p>
      </form>
      {elsewhere.length > 0 && (
        <>
          <h3>On other versions</h3>
          <ul class="labels" aria-label="On other versions">
            {elsewhere.map((one) => (
              <li key={one.name}>
                <Button small onClick={() => void put(one.name)}>
                  Move <span class="label-name">{escaped(one.name)}</span> here from version {one.version}
                </Button>
              </li>
            ))}
          </ul>
        </>
      )}
      {trouble && (
        <p class="trouble-words" role="alert">
          {trouble}
        </p>
      )}
    </Dialog>
  );
}

function note(name: string, here: readonly string[], moved: number | undefined): string {
  if (name === "") return "For example: prod, trial.";
  if (!isLabel(name)) return "Use letters, digits, “-”, “_” and “.”; start with a letter.";
  if (here.includes(name)) return "This version already has the label.";
  return moved === undefined ? "" : `Currently on version ${moved}; it will move to this version.`;
}
