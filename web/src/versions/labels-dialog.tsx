// Puts labels on a version, moves them there from another, takes them away. A label is on one version at a time; `name@label` names it.
import { useState } from "preact/hooks";
import { told } from "../api/problem";
import { escaped, Shown } from "../shown";
import { Button, IconButton } from "../ui/button";
import { Dialog } from "../ui/dialog";
import type { History } from "./history";

const LABEL = /^[A-Za-z][A-Za-z0-9._-]{0,63}$/;

export function LabelsDialog({ history, version, close }: { history: History; version: number; close: () => void }) {
  const [label, setLabel] = useState("");
  const [trouble, setTrouble] = useState("");
  // Told here: a message of the page would lie under the dialog.
  const [said, setSaid] = useState("");
  const items = history.items.value;
  const here = items.find((one) => one.version === version)?.labels ?? [];
  const elsewhere = items.filter((one) => one.version !== version).flatMap((one) => one.labels.map((name) => ({ name, version: one.version })));
  const name = label.trim();
  const moved = elsewhere.find((one) => one.name === name);
  const good = LABEL.test(name) && !here.includes(name);

  const done = async (work: Promise<void>, words: string) => {
    setTrouble("");
    try {
      await work;
      setLabel("");
      setSaid(words);
    } catch (error) {
      setTrouble(told(error));
    }
  };
  const put = (wanted: string) => done(history.setLabel(wanted, version), `“${wanted}” is on version ${version} now.`);
  const take = (wanted: string) => done(history.removeLabel(wanted), `“${escaped(wanted)}” is taken away.`);

  return (
    <Dialog title={`Labels of version ${version}`} onClose={close} actions={<Button onClick={close}>Done</Button>}>
      <p class="soft">
        A conversation that asks for <code>{history.name}@label</code> gets the version that has the label, whatever is current.
      </p>
      {here.length > 0 ? (
        <ul class="labels" aria-label="On this version">
          {here.map((one) => (
            <li key={one} class="pill static">
              <Shown text={one} most={64} />
              <IconButton label={`Take away ${escaped(one)}`} icon="close" onClick={() => void take(one)} />
            </li>
          ))}
        </ul>
      ) : (
        <p class="labels-none">It has none.</p>
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
          {(name === "" && said) || note(name, here, moved?.version)}
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
  if (name === "") return "Such as prod or trial.";
  if (!LABEL.test(name)) return "Letters, digits, “-”, “_” or “.”, a letter first.";
  if (here.includes(name)) return "It has this one already.";
  return moved === undefined ? "" : `It is on version ${moved} and would move here.`;
}
