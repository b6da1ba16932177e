// The current route: `#/edit/main`, `#/versions/main`, `#/conversations/ID`, `#/health`.
import { signal } from "@preact/signals";

export type Screen = "edit" | "versions" | "conversations" | "health";

export interface Route {
  screen: Screen;
  /** The template's name or the conversation's id; empty if none is selected. */
  name: string;
}

const SCREENS: readonly Screen[] = ["edit", "versions", "conversations", "health"];

/** Parses an address. Unknown addresses lead to the editor. */
export function parse(hash: string): Route {
  const [, screen = "", ...rest] = hash.replace(/^#/, "").split("/");
  const known = SCREENS.find((one) => one === screen) ?? "edit";
  return { screen: known, name: decoded(rest.join("/")) || fallback(known) };
}

/** Returns the address for a link. */
export function href(screen: Screen, name = ""): string {
  return name === "" ? `#/${screen}` : `#/${screen}/${encodeURIComponent(name)}`;
}

export const route = signal<Route>(parse(location.hash));

/** Navigates to a screen. */
export function go(screen: Screen, name = ""): void {
  location.hash = href(screen, name);
}

addEventListener("hashchange", () => {
  route.value = parse(location.hash);
});

function fallback(screen: Screen): string {
  return screen === "edit" || screen === "versions" ? "main" : "";
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
