// The layout: panes side by side, or tabs on a narrow screen.
import { signal } from "@preact/signals";

export type Tab = "text" | "preview" | "variables" | "findings";

const wide = matchMedia("(min-width: 1000px)");
const two = matchMedia("(min-width: 700px)");

/** True if panes are in tabs. */
export const narrow = signal(!wide.matches);
/** True if the preview is beside the tabs. */
export const beside = signal(two.matches);
export const tab = signal<Tab>("text");

wide.addEventListener("change", () => (narrow.value = !wide.matches));
two.addEventListener("change", () => {
  beside.value = two.matches;
  if (two.matches && tab.value === "preview") tab.value = "text";
});

/** Runs an action in the text field; its tab is shown first, because a hidden field cannot take the focus. */
export function inText(act: () => void): void {
  const hidden = narrow.peek() && tab.peek() !== "text";
  tab.value = "text";
  if (hidden) requestAnimationFrame(() => requestAnimationFrame(act));
  else act();
}
