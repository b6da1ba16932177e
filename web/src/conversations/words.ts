// Labels for conversations.
import type { ConversationItem, PromptReply } from "../api/types";

export const REASONS: Record<PromptReply["reason"], string> = {
  "first-turn": "first turn",
  compaction: "compaction",
  refresh: "refresh",
};

/** `main, version 3`, `main@prod, version 3`, `main, built-in default`. */
export function template({ template: used }: Pick<ConversationItem, "template">): string {
  if (!used) return "no template";
  const { chosen, version } = used;
  return version === null ? `${chosen}, built-in default` : `${chosen}, version ${version}`;
}
