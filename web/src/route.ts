// The current route: `#/edit/main`, `#/versions/main`, `#/versions/main/2`, `#/versions/main/2..3`, `#/versions/main/2..3?show=prompt`,
// `#/conversations/ID`, `#/health`.
import { signal } from "@preact/signals";

export type Screen = "edit" | "versions" | "conversations" | "health";

export interface Route {
  screen: Screen;
  /** The template's name or the conversation's id; empty if none is selected. */
  name: string;
  /** A version, or two to compare, as the address has them; empty for none. */
  at: string;
  /** The text behind a `?`: how a comparison is shown. */
  query: string;
  /** True if the address has no screen, and the editor is shown instead. */
  lost?: boolean;
}

const SCREENS: readonly Screen[] = ["edit", "versions", "conversations", "health"];

/** Parses an address. Unknown addresses lead to the editor. */
export function parse(hash: string): Route {
  const [, screen = "", ...rest] = hash.replace(/^#/, "").split("/");
  const known = SCREENS.find((one) => one === screen) ?? "edit";
  if (known === "conversations") return { screen: known, name: decoded(rest.join("/")), at: "", query: "" };
  const [place, query] = cut(rest.join("/"));
  // `main@2`, as it is written elsewhere, is `main/2`.
  const [name = "", ...at] = place.split("/").map(decoded).join("/").split(/[/@]/);
  const lost = screen !== "" && known !== screen;
  return { screen: known, name: lost ? fallback(known) : name || fallback(known), at: lost ? "" : at.join("/"), query: lost ? "" : query, lost };
}

/** Returns the address for a link; `at` may have a query behind it. */
export function href(screen: Screen, name = "", at = ""): string {
  const place = name === "" ? `#/${screen}` : `#/${screen}/${encodeURIComponent(name)}`;
  return at === "" ? place : `${place}/${at}`;
}

/** Returns the whole address of a screen, to be shared. */
export const address = (screen: Screen, name = "", at = ""): string => new URL(href(screen, name, at), location.href).href;

export const route = signal<Route>(parse(location.hash));

/** Navigates to a screen. */
export function go(screen: Screen, name = "", at = ""): void {
  location.hash = href(screen, name, at);
}

/** Navigates without a step that Back would take back. */
export function turnInto(screen: Screen, name: string, at: string): void {
  history.replaceState(history.state, "", href(screen, name, at));
  route.value = parse(location.hash);
}

addEventListener("hashchange", () => {
  route.value = parse(location.hash);
});

function fallback(screen: Screen): string {
  return screen === "edit" || screen === "versions" ? "main" : "";
}

function cut(text: string): [string, string] {
  const at = text.indexOf("?");
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
