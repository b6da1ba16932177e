// Shows that a conversation's template has a newer version than the one its prompt was built from.
import type { components } from "../api/schema";
import { currentVersions } from "../versions/names";

type Template = components["schemas"]["Template"];

export function Newer({ template }: { template: Template | null }) {
  // A conversation that requests a version or label is not outdated.
  if (!template || template.chosen !== template.name) return null;
  const current = currentVersions.value.get(template.name) ?? 0;
  if (current <= (template.version ?? 0)) return null;
  return (
    <span class="pill turn" title="Used by the next prompt: refresh the conversation, or wait for a compaction">
      newer version {current}
    </span>
  );
}
