// The comparison of two texts; its code is loaded on first use.
import type { FunctionComponent } from "preact";
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Side } from "../versions/compare";

const loaded = signal<FunctionComponent<{ left: Side; right: Side }> | null>(null);
const failed = signal(false);

export function CompareLater(sides: { left: Side; right: Side }) {
  useEffect(() => {
    failed.value = false;
    import("../versions/compare-view").then(
      ({ CompareView }) => (loaded.value = CompareView),
      () => (failed.value = true),
    );
  }, []);
  const Loaded = loaded.value;
  if (Loaded) return <Loaded {...sides} />;
  return failed.value ? <p role="alert">The comparison could not be loaded.</p> : <p class="waiting">Loading…</p>;
}
