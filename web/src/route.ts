// Where in the page somebody is: `#/edit/main`, `#/versions/main`, `#/conversations/ID`, `#/health`.
import { signal } from "@preact/signals";

export type Screen = "edit" | "versions" | "conversations" | "health";

export interface Route {
  screen: Screen;
  /** The template's name or the conversation's id; empty where none is chosen. */
  name: string;
}

const SCREENS: readonly Screen[] = ["edit", "versions", "conversations", "health"];

/** Reads an address. Whatever cannot be read is the editor. */
export function parse(hash: string): Route {
  const [, screen = "", ...rest] = hash.replace(/^#/, "").split("/");
  const known = SCREENS.find((one) => one === screen) ?? "edit";
  return { screen: known, name: decoded(rest.join("/")) || fallback(known) };
}

/** Writes an address for a link. */
export function href(screen: Screen, name = ""): string {
  return name === "" ? `#/${screen}` : `#/${screen}/${encodeURIComponent(name)}`;
}

export const route = signal<Route>(parse(location.hash));

/** Goes there, as if a link had been followed. */
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
