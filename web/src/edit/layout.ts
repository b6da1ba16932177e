// Whether there is room for panes side by side, and which one is shown where there is not.
import { signal } from "@preact/signals";

export type Tab = "text" | "preview" | "variables" | "findings";

const wide = matchMedia("(min-width: 1000px)");

export const narrow = signal(!wide.matches);
export const tab = signal<Tab>("text");

wide.addEventListener("change", () => (narrow.value = !wide.matches));

/** Shows the text where it is behind a tab, so that what happens in it is seen. */
export function showText(): void {
  tab.value = "text";
}
