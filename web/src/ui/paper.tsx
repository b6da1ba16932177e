// What goes on paper in place of the screen: whole texts, where the screen has only what is in sight.
import { options, type ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { escapedLines, head } from "../shown";

/** More than this is no document for paper. */
export const MOST_ON_PAPER = 500_000;

type Draw = () => ComponentChildren;

let drawn: Draw | null = null;

/** Sets the printed form of the screen; null prints what is shown. */
export function usePaper(draw: Draw): void {
  useEffect(() => {
    drawn = draw;
    return () => {
      if (drawn === draw) drawn = null;
    };
  });
}

/** Holds the paper while something is printed. */
export function Paper() {
  const [printing, setPrinting] = useState(false);
  useEffect(() => {
    const begin = () => now(() => setPrinting(true));
    const end = () => setPrinting(false);
    addEventListener("beforeprint", begin);
    addEventListener("afterprint", end);
    return () => {
      removeEventListener("beforeprint", begin);
      removeEventListener("afterprint", end);
    };
  }, []);
  const content = printing ? drawn?.() : null;
  return content ? <article class="paper">{content}</article> : null;
}

/** A text of any length, as much of it as paper takes. */
export function PaperText({ text }: { text: string }) {
  return (
    <>
      <pre>{escapedLines(head(text, MOST_ON_PAPER))}</pre>
      {text.length > MOST_ON_PAPER && <p>Truncated: the rest is not printed.</p>}
    </>
  );
}

/** Draws at once: the browser prints what is there when the event is over. */
function now(act: () => void): void {
  const later = options.debounceRendering;
  options.debounceRendering = (draw) => draw();
  act();
  if (later) options.debounceRendering = later;
  else delete options.debounceRendering;
}
