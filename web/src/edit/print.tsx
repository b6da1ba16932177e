// The print view of the preview.
import { amount, size, tokenAmount } from "../amount";
import { escapedLines, head } from "../shown";
import { MOST_ON_PAPER, usePaper } from "../ui/paper";
import { spanFrom, type Packed } from "./analysis/packed";
import { packed, session } from "./desk";

export function usePrint(): void {
  usePaper(() => {
    const result = packed.peek();
    return result?.preview ? <Parts result={result} preview={result.preview} /> : null;
  });
}

function Parts({ result, preview }: { result: Packed; preview: NonNullable<Packed["preview"]> }) {
  return (
    <>
      <header>
        <h1>System prompt: {head(session.peek()?.name ?? "", 64)}</h1>
        <p>
          {tokenAmount(preview.tokens, preview.exact)}, {size(preview.bytes)}, {preview.fingerprint}
        </p>
      </header>
      {preview.parts.map((part) => (
        <section key={part.section}>
          <h2>
            {head(part.section, 60)} <span>{amount(part.tokens, "token")}</span>
          </h2>
          <pre>{runs(result, part.from, Math.min(part.to, part.from + MOST_ON_PAPER))}</pre>
          {part.to - part.from > MOST_ON_PAPER && <p>The rest, {size(part.to - part.from - MOST_ON_PAPER)}, is not printed.</p>}
        </section>
      ))}
    </>
  );
}

function runs({ preview }: Packed, from: number, to: number): preact.ComponentChildren[] {
  const { spans, text } = preview!;
  const all: preact.ComponentChildren[] = [];
  for (let at = 0; at < spans.count; at++) {
    const [start, end] = [Math.max(spanFrom(spans, at), from), Math.min(spans.to[at]!, to)];
    if (start >= end) continue;
    const words = escapedLines(text.slice(start, end));
    // Lines under a whole file would be hard to read.
    all.push(spans.value[at] && !words.includes("\n") ? <mark key={at}>{words}</mark> : words);
  }
  return all;
}
