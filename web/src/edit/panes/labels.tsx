// The labels of a template, beside its name: added, moved and removed in one step, and taken back with one.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { request } from "../../api/client";
import { messageOf } from "../../api/problem";
import { escaped, Shown } from "../../shown";
import { Icon } from "../../ui/icon";
import { notify } from "../../ui/toast";

export const isLabel = (label: string): boolean => /^[A-Za-z][A-Za-z0-9._-]{0,63}$/.test(label);

interface Placed {
  label: string;
  version: number;
}

const placed = signal<{ of: string; all: readonly Placed[] }>({ of: "", all: [] });

/** The label that is being written; null for none. */
export const newLabel = signal<string | null>(null);

async function read(name: string): Promise<void> {
  try {
    const { data } = await request("get", "/templates/{name}/versions", { path: { name }, query: { limit: 500 } });
    placed.value = { of: name, all: data.items.flatMap(({ version, labels }) => labels.map((label) => ({ label, version }))) };
  } catch {
    // The labels shown before are still the best guess.
  }
}

/** The labels of a template that have been read, with their versions. */
export const labelsOf = (name: string): readonly Placed[] => (placed.value.of === name ? placed.value.all : []);

/** Sets a label on a version, or removes it where that is null; false if that failed. */
export async function setLabel(name: string, label: string, version: number | null, undone = false): Promise<boolean> {
  const before = placed.peek().all.find((one) => one.label === label)?.version ?? null;
  const path = { name, label };
  let done = true;
  try {
    if (version === null) await request("delete", "/templates/{name}/labels/{label}", { path });
    else await request("put", "/templates/{name}/labels/{label}", { path, body: { version } });
    const words = version === null ? `Label ${escaped(label)} removed.` : `Label ${escaped(label)} is on version ${version}.`;
    notify(words, "good", undone ? undefined : { label: "Undo", act: () => void setLabel(name, label, before, true) });
  } catch (error) {
    notify(messageOf(error), "bad");
    done = false;
  }
  await read(name);
  return done;
}

export function Labels({ name, version }: { name: string; version: number }) {
  const typed = newLabel.value;
  const setTyped = (text: string | null) => (newLabel.value = text);
  useEffect(() => {
    void read(name);
    return () => void (newLabel.value = null);
  }, [name, version]);
  const all = labelsOf(name);
  const label = typed?.trim() ?? "";
  return (
    <ul class="bar-labels" aria-label={`Labels of ${name}`}>
      {all.map((one) => (
        <li key={one.label} class={`pill ${one.version === version ? "static" : ""}`}>
          {one.version === version ? (
            <>
              <Shown text={one.label} most={24} />
              <button type="button" aria-label={`Remove label ${escaped(one.label)}`} title={`Remove label ${escaped(one.label)}`} onClick={() => void setLabel(name, one.label, null)}>
                <Icon name="close" size={13} />
              </button>
            </>
          ) : (
            <button
              type="button"
              aria-label={`Move label ${escaped(one.label)} from version ${one.version} to version ${version}`}
              title={`On version ${one.version}. Click to move it to version ${version}.`}
              onClick={() => void setLabel(name, one.label, version)}
            >
              <Shown text={one.label} most={24} /> is on {one.version} <span class="move">Move here</span>
            </button>
          )}
        </li>
      ))}
      <li>
        {typed === null ? (
          <button type="button" class="pill add-label" aria-label={`Add a label to version ${version}`} onClick={() => setTyped("")}>
            <Icon name="plus" size={13} /> Label
          </button>
        ) : (
          <input
            class="field"
            aria-label={`New label of version ${version}`}
            aria-invalid={label !== "" && !isLabel(label)}
            placeholder="prod, then Enter"
            maxLength={64}
            autocomplete="off"
            spellcheck={false}
            ref={(box) => box?.focus()}
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
            onBlur={() => label === "" && setTyped(null)}
            onKeyDown={({ key }) => {
              if (key === "Escape") setTyped(null);
              if (key !== "Enter" || label === "") return;
              if (!isLabel(label)) return notify("A label has letters, digits, “-”, “_” and “.”, and starts with a letter.", "bad");
              setTyped(null);
              void setLabel(name, label, version);
            }}
          />
        )}
      </li>
    </ul>
  );
}
