// Selects a stored template by name.
import { useEffect } from "preact/hooks";
import { escaped } from "../shown";
import { names, readNames } from "./names";

interface TemplateSelectProps {
  label: string;
  value: string;
  onValue: (name: string) => void;
  /** The label of the option for all templates; undefined if one must be selected. */
  all?: string;
}

export function TemplateSelect({ label, value, onValue, all }: TemplateSelectProps) {
  useEffect(() => void readNames(), []);
  const known = new Set(["main", ...names.value]);
  if (value !== "") known.add(value);
  return (
    <select class="field template-select" aria-label={label} value={value} onChange={(event) => onValue(event.currentTarget.value)}>
      {all !== undefined && <option value="">{all}</option>}
      {[...known].map((name) => (
        <option key={name} value={name}>
          {escaped(name)}
        </option>
      ))}
    </select>
  );
}
