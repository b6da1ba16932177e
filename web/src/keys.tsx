// The keys that open the command palette (Ctrl-K) and the list of keyboard shortcuts (F1, or ? outside of text fields), and both,
// loaded when they are first opened.
import { signal } from "@preact/signals";
import type { FunctionComponent } from "preact";
import { useEffect, useState } from "preact/hooks";
import { whenIdle } from "./lazy";
import { notify } from "./ui/toast";

export const mac = /Mac|iPhone|iPad/.test(navigator.platform);
export const mod = mac ? "⌘" : "Ctrl";

export const keysShown = signal(false);
export const commandsShown = signal(false);

const load = () => import("./commands/index");
whenIdle(load);

/** The dialog that is open. */
export function CommandDialogs() {
  const [loaded, setLoaded] = useState<Record<"CommandsDialog" | "KeysDialog", FunctionComponent> | null>(null);
  const wanted = commandsShown.value ? "CommandsDialog" : keysShown.value ? "KeysDialog" : null;
  useEffect(() => {
    if (!wanted || loaded) return;
    load().then(setLoaded, () => {
      commandsShown.value = keysShown.value = false;
      notify("This list could not be loaded. The service may be down, or may have been upgraded since this page was opened.", "bad");
    });
  }, [wanted]);
  if (!wanted || !loaded) return null;
  const Shown = loaded[wanted];
  return <Shown />;
}

/** True if the key is typed into a text field. */
function writing(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

addEventListener("keydown", (event) => {
  if (event.defaultPrevented) return;
  const isCommands = event.key.toLowerCase() === "k" && (mac ? event.metaKey : event.ctrlKey) && !event.altKey && !event.shiftKey;
  const isKeys = event.key === "F1" || (event.key === "?" && !event.ctrlKey && !event.metaKey && !writing(event.target));
  if (!isCommands && !isKeys) return;
  event.preventDefault();
  if (commandsShown.value) commandsShown.value = !isCommands;
  else if (isKeys) keysShown.value = true;
  else if (!document.querySelector("dialog[open]")) commandsShown.value = true;
});
