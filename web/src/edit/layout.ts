// Whether there is room for panes side by side, and which one is shown where there is not.
import { signal } from "@preact/signals";

export type Tab = "text" | "preview" | "variables" | "findings";

const wide = matchMedia("(min-width: 1000px)");
const two = matchMedia("(min-width: 700px)");

/** True where panes are behind tabs. */
export const narrow = signal(!wide.matches);
/** True where the preview stands beside the tabs: it is what one looks at while writing. */
export const beside = signal(two.matches);
export const tab = signal<Tab>("text");

wide.addEventListener("change", () => (narrow.value = !wide.matches));
two.addEventListener("change", () => {
  beside.value = two.matches;
  if (two.matches && tab.value === "preview") tab.value = "text";
});

/** Does something in the text. Where it is behind a tab it comes out first: it cannot take the focus while it is hidden. */
export function inText(act: () => void): void {
  const hidden = narrow.peek() && tab.peek() !== "text";
  tab.value = "text";
  if (hidden) requestAnimationFrame(() => requestAnimationFrame(act));
  else act();
}
