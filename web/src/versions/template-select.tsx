// Chooses one of the stored templates by name.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ask } from "../api/client";
import { escaped } from "../shown";

const MOST = 2_000;

const names = signal<readonly string[]>([]);

interface TemplateSelectProps {
  label: string;
  value: string;
  onValue: (name: string) => void;
  /** What stands for all of them; left out where one must be chosen. */
  all?: string;
}

export function TemplateSelect({ label, value, onValue, all }: TemplateSelectProps) {
  useEffect(() => {
    readNames().then(
      (found) => (names.value = found),
      () => {
        // The one that is shown can still be chosen.
      },
    );
  }, []);
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

async function readNames(): Promise<string[]> {
  const found: string[] = [];
  let after: string | null = null;
  do {
    const query: { limit: number; after?: string } = { limit: 500, ...(after !== null && { after }) };
    const { data }: { data: { items: { name: string }[]; next: string | null } } = await ask("get", "/templates", { query });
    found.push(...data.items.map(({ name }) => name));
    after = data.next;
  } while (after !== null && found.length < MOST);
  return found;
}
