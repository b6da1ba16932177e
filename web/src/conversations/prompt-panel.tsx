// The prompt, colored by origin, and its cacheable share.
import { useEffect, useRef } from "preact/hooks";
import { CacheStrip } from "../edit/panes/cache-strip";
import { cacheRuns, type Laid } from "./laid";
import { createPromptText } from "./prompt-text";

export function PromptPanel({ prompt, none }: { prompt: Laid; none: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => (none ? undefined : createPromptText(box.current!, prompt)), [prompt, none]);
  if (none) return <p class="empty">No system prompt: the template renders to an empty text.</p>;
  const { bytes, tokens, counter, exact, parts } = prompt;
  return (
    <>
      <div class="preview-text prompt-text" ref={box} />
      <CacheStrip preview={{ bytes, tokens, counter, exact, parts, runs: cacheRuns(prompt) }} />
    </>
  );
}
