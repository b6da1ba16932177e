// The field for a free name, such as the path of a file.
import { useId, useState } from "preact/hooks";
import type { VariableEntry } from "../../api/types";
import { Button } from "../../ui/button";

const WORDS: Record<string, string> = {
  file: "Other file",
  project_file: "Project file",
  tool: "Tool (for a condition)",
};

export function NameField({ entry, insert }: { entry: VariableEntry; insert: (key: string) => void }) {
  const [name, setName] = useState("");
  const id = useId();
  const breaks = /[\]\n\r\u2028\u2029]/.test(name);
  const good = name.trim() !== "" && !breaks;
  const act = () => {
    if (!good) return;
    insert(`${entry.type}:${name.trim()}`);
    setName("");
  };
  return (
    <div class="name-field">
      <label class="label" for={id}>
        {WORDS[entry.type] ?? `Name of ${entry.type}`}
      </label>
      <div class="name-row">
        <input
          class="field"
          id={id}
          value={name}
          placeholder={entry.example}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          title={entry.description}
          onInput={(event) => setName(event.currentTarget.value)}
          onKeyDown={(event) => {
            // The arrow keys move in the field.
            if (event.key === "Enter") act();
            else if (/^(Arrow|Home|End)/.test(event.key)) event.stopPropagation();
          }}
        />
        <Button small disabled={!good} onClick={act} aria-label={`Insert ${entry.type}`}>
          Insert
        </Button>
      </div>
      {breaks && (
        <p class="soft" role="status">
          A name in a tag must not contain <code>]</code> or a line end.
        </p>
      )}
    </div>
  );
}
