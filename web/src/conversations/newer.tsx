// Says that a conversation's template has a newer version than the one its prompt was built from.
import type { components } from "../api/schema";
import { currentVersions } from "../versions/names";

type Template = components["schemas"]["Template"];

export function Newer({ template }: { template: Template | null }) {
  // Who chose a version or a label asked for just that.
  if (!template || template.chosen !== template.name) return null;
  const current = currentVersions.value.get(template.name) ?? 0;
  if (current <= (template.version ?? 0)) return null;
  return (
    <span class="pill turn" title="Its next prompt is built from that one: refresh it, or wait for a compaction">
      newer version {current}
    </span>
  );
}
