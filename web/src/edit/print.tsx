// The preview on paper: all of it, with what each part weighs. It is made when somebody prints, and gone afterwards.
import { useEffect, useState } from "preact/hooks";
import { options } from "preact";
import { amount, size } from "../amount";
import { escapedLines, head } from "../shown";
import { spanFrom, type Packed } from "./analysis/packed";
import { packed, session } from "./desk";

/** More than this is no document for paper. */
const MOST = 500_000;

export function Print() {
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
  const result = packed.value;
  if (!printing || !result?.preview) return null;
  const { preview } = result;
  return (
    <article class="paper">
      <header>
        <h1>System prompt: {head(session.value?.name ?? "", 64)}</h1>
        <p>
          about {amount(preview.tokens, "token")}, {size(preview.bytes)}, {preview.fingerprint}
        </p>
      </header>
      {preview.parts.map((part) => (
        <section key={part.section}>
          <h2>
            {head(part.section, 60)} <span>{amount(part.tokens, "token")}</span>
          </h2>
          <pre>{runs(result, part.from, Math.min(part.to, part.from + MOST))}</pre>
          {part.to - part.from > MOST && <p>The rest, {size(part.to - part.from - MOST)}, is not printed.</p>}
        </section>
      ))}
    </article>
  );
}

function runs({ preview }: Packed, from: number, to: number): preact.ComponentChildren[] {
  const { spans, text } = preview!;
  const all: preact.ComponentChildren[] = [];
  for (let at = 0; at < spans.count; at++) {
    const [start, end] = [Math.max(spanFrom(spans, at), from), Math.min(spans.to[at]!, to)];
    if (start >= end) continue;
    const words = escapedLines(text.slice(start, end));
    all.push(spans.value[at] ? <mark key={at}>{words}</mark> : words);
  }
  return all;
}

/** Draws at once: the browser prints what is there when the event is over. */
function now(act: () => void): void {
  const later = options.debounceRendering;
  options.debounceRendering = (draw) => draw();
  act();
  if (later) options.debounceRendering = later;
  else delete options.debounceRendering;
}
