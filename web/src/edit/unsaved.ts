// The templates with unsaved text. The navigation marks them; the browser requests confirmation before the page is closed.
import { signal } from "@preact/signals";

export const unsaved = signal<ReadonlySet<string>>(new Set());

export function setUnsaved(name: string, is: boolean): void {
  if (unsaved.value.has(name) === is) return;
  const next = new Set(unsaved.value);
  if (is) next.add(name);
  else next.delete(name);
  unsaved.value = next;
}

addEventListener("beforeunload", (event) => {
  if (unsaved.value.size > 0) event.preventDefault();
});
