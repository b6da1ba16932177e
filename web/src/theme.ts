// The theme: light, dark, or that of the system.
import { effect, signal } from "@preact/signals";
import { keep, kept } from "./keep";

export type Theme = "system" | "light" | "dark";

const NAME = "preface-theme";
const ORDER: readonly Theme[] = ["system", "light", "dark"];

export const theme = signal<Theme>(ORDER.find((one) => one === kept("local", NAME)) ?? "system");

effect(() => {
  if (theme.value === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme.value;
});

/** Switches to the next theme: system, light, dark. */
export const nextTheme = (): void => setTheme(ORDER[(ORDER.indexOf(theme.value) + 1) % ORDER.length]!);

export function setTheme(next: Theme): void {
  theme.value = next;
  keep("local", NAME, next === "system" ? null : next);
}
