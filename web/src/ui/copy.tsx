// Buttons that copy a whole text, exact to the byte, whatever part of it is drawn.
import { useEffect, useState } from "preact/hooks";
import { amount } from "../amount";
import { Button, IconButton, keepsFocus } from "./button";
import { Menu } from "./menu";
import { notify } from "./toast";

/** Copies a text; returns false where the browser does not permit it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Pages loaded over plain HTTP from another host have no clipboard, but their copy event has one.
    return byEvent(text);
  }
}

function byEvent(text: string): boolean {
  let done = false;
  const give = (event: ClipboardEvent) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    event.clipboardData?.setData("text/plain", text);
    done = event.clipboardData !== null;
  };
  addEventListener("copy", give, true);
  try {
    document.execCommand("copy");
  } finally {
    removeEventListener("copy", give, true);
  }
  return done;
}

/** Copies a text and shows what was copied. */
export async function copy(text: string, what: string): Promise<boolean> {
  const done = await copyText(text);
  if (done) notify(`${what} copied: ${amount(text.length, "character")}.`, "good");
  else notify("The browser does not permit copying. Select the text and copy it with Ctrl-C.", "bad");
  return done;
}

export interface Copied {
  /** What is copied, as in “Copy prompt”. */
  what: string;
  text: () => string;
}

/** How long a button shows that it has copied. */
const SHOWN = 1600;

function useCopied(): [boolean, (one: Copied) => void] {
  const [done, setDone] = useState(false);
  useEffect(() => {
    const timer = done ? setTimeout(() => setDone(false), SHOWN) : undefined;
    return () => clearTimeout(timer);
  }, [done]);
  return [done, ({ what, text }) => void copy(text(), capital(what)).then(setDone)];
}

const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

/** A picture that copies; for places with little room. */
export function CopyIcon({ what, text }: Copied) {
  const [done, take] = useCopied();
  return <IconButton label={`Copy ${what}`} icon={done ? "check" : "copy"} onClick={() => take({ what, text })} {...keepsFocus} />;
}

interface CopyMenuProps {
  /** The first one has a button of its own. */
  choices: readonly Copied[];
  main?: boolean;
  iconOnly?: boolean;
}

/** A button that copies, and a menu of what else can be copied. */
export function CopyMenu({ choices, main, iconOnly }: CopyMenuProps) {
  const [done, take] = useCopied();
  const [first, ...others] = choices;
  return (
    <div class="copy-menu">
      {iconOnly ? (
        <IconButton label={`Copy ${first!.what}`} icon={done ? "check" : "copy"} onClick={() => take(first!)} />
      ) : (
        <Button small kind={main ? "main" : "plain"} icon={done ? "check" : "copy"} onClick={() => take(first!)}>
          Copy {first!.what}
        </Button>
      )}
      <Menu label="Copy as" icon="down" items={others.map((one) => ({ what: `Copy ${one.what}`, run: () => take(one) }))} />
    </div>
  );
}
