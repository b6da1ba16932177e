// The values that the preview uses instead of what would be found: tools, agent, clock, variables. They change no conversation.
import { amount } from "../../amount";
import { escaped, head, Shown } from "../../shown";
import { Button } from "../../ui/button";
import type { Variable } from "../analysis/packed";
import { clearValues, PLACEHOLDER_ID, setValues, setVariable, values, valuesSet, type Values as Fields } from "../context";
import { packed } from "../desk";

const FIELDS: readonly { name: Exclude<keyof Fields, "variables">; label: string; hint: string }[] = [
  { name: "tools", label: "Tools", hint: "those of the profile" },
  { name: "agent", label: "Agent", hint: "main conversation" },
  { name: "conversation", label: "Conversation id", hint: PLACEHOLDER_ID },
  { name: "now", label: "Clock", hint: "now, or 2031-02-03T09:30:00Z" },
  { name: "zone", label: "Time zone", hint: "that of the service" },
];

/** More variables than this are not listed. */
const MOST = 200;

export function Values() {
  const set = valuesSet.value;
  return (
    <details class="values">
      <summary>
        Values{" "}
        {set.length > 0 ? (
          <>
            <span class="badge warning">{set.length}</span> <Shown text={head(set.join(", "), 200)} most={60} class="soft" />
          </>
        ) : (
          <span class="soft">as found</span>
        )}
      </summary>
      <div class="values-fields">
        {FIELDS.map(({ name, label, hint }) => (
          <label key={name} class="label">
            {label}
            <input
              class="field block"
              value={values.value[name]}
              placeholder={hint}
              autocomplete="off"
              autocapitalize="off"
              spellcheck={false}
              onInput={(event) => setValues({ [name]: event.currentTarget.value })}
            />
          </label>
        ))}
      </div>
      <Variables />
      {set.length > 0 && (
        <Button small onClick={clearValues}>
          Use what is found
        </Button>
      )}
    </details>
  );
}

/** The variables that the template uses, and those that are set. */
function Variables() {
  const own = values.value.variables;
  const used = new Map((packed.value?.variables ?? []).map((one) => [one.key, one]));
  const keys = [...new Set([...used.keys(), ...Object.keys(own)])];
  if (keys.length === 0) return null;
  return (
    <ul class="values-list" aria-label="Variables of the preview" tabIndex={0}>
      {keys.slice(0, MOST).map((key) => (
        <Row key={key} name={key} found={used.get(key)} own={own[key]} />
      ))}
      {keys.length > MOST && <li class="soft">and {amount(keys.length - MOST, "more variable")}</li>}
    </ul>
  );
}

function Row({ name, found, own }: { name: string; found: Variable | undefined; own: string | null | undefined }) {
  const shown = escaped(head(name, 60));
  const choose = (how: string) => setVariable(name, how === "found" ? undefined : how === "absent" ? null : found?.cut ? "" : (found?.value ?? ""));
  return (
    <li>
      <Shown text={name} most={60} class="mono" />
      <select
        class="field"
        aria-label={`Value of ${shown}`}
        value={own === undefined ? "found" : own === null ? "absent" : "text"}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        <option value="found">as found</option>
        <option value="text">with this value</option>
        <option value="absent">absent</option>
      </select>
      {typeof own === "string" && (
        <textarea
          class="field"
          rows={1}
          aria-label={`Text of ${shown}`}
          value={own}
          spellcheck={false}
          onInput={(event) => setVariable(name, event.currentTarget.value)}
        />
      )}
    </li>
  );
}
