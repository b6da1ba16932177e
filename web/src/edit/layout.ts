// Whether there is room for panes side by side, and which one is shown where there is not.
import { signal } from "@preact/signals";

export type Tab = "text" | "preview" | "variables" | "findings";

const wide = matchMedia("(min-width: 1000px)");

export const narrow = signal(!wide.matches);
export const tab = signal<Tab>("text");

wide.addEventListener("change", () => (narrow.value = !wide.matches));

/** Does something in the text. Where it is behind a tab it comes out first: it cannot take the focus while it is hidden. */
export function inText(act: () => void): void {
  const hidden = narrow.peek() && tab.peek() !== "text";
  tab.value = "text";
  if (hidden) requestAnimationFrame(() => requestAnimationFrame(act));
  else act();
}
