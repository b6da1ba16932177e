// Light or dark: as the system has it, or as somebody chose here.
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

/** Goes on to the next: system, light, dark, and round again. */
export function nextTheme(): void {
  const next = ORDER[(ORDER.indexOf(theme.value) + 1) % ORDER.length]!;
  theme.value = next;
  keep("local", NAME, next === "system" ? null : next);
}
