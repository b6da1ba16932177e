// Global shortcuts: F6 moves between panes and messages, Ctrl-S saves, Ctrl-Shift-S reviews first.
import { useEffect } from "preact/hooks";
import { mac } from "../../keys";
import { session } from "../desk";
import { beside, narrow, tab, type Tab } from "../layout";
import { openReview } from "./review";

const STOPS: readonly { tab: Tab | null; place: string }[] = [
  { tab: "variables", place: ".palette input" },
  // In sight on every tab.
  { tab: null, place: ".banner .button" },
  { tab: "text", place: ".text .cm-content" },
  { tab: "findings", place: ".findings .finding, .findings-group summary" },
  { tab: "preview", place: ".preview .cm-content" },
];

export function useKeys(): void {
  useEffect(() => {
    // Where the focus is on its way to: a tab comes out first, and keys may be quicker than that.
    let heading: string | null = null;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
      const current = session.peek();
      if (event.key.toLowerCase() === "s" && (mac ? event.metaKey : event.ctrlKey) && !event.altKey) {
        event.preventDefault();
        if (current) void (event.shiftKey ? openReview(current) : current.save());
      }
      if (event.key !== "F6") return;
      event.preventDefault();
      const there = STOPS.filter(({ place }) => document.querySelector(place));
      const at = there.findIndex(({ place }) => {
        if (heading !== null) return place === heading;
        const root = document.querySelector(place)?.closest(".banner, .palette, .text, .findings, .preview");
        return root?.contains(document.activeElement) ?? false;
      });
      const next = there[(at + (event.shiftKey ? -1 : 1) + there.length) % there.length];
      if (!next) return;
      const focus = () => {
        heading = null;
        document.querySelector<HTMLElement>(next.place)?.focus();
      };
      // What is in sight takes the focus at once, so that what is typed next is for it.
      if (next.tab === null || !narrow.peek() || (beside.peek() && next.tab === "preview")) return focus();
      tab.value = next.tab;
      heading = next.place;
      requestAnimationFrame(() => heading === next.place && focus());
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, []);
}
