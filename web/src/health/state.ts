// The state of an entry and the reasons for it. The command line uses the same words.
import { sentence } from "../api/problem";
import type { Entry, EntryOrigin } from "../api/types";

export type State = "active" | "hidden" | "off" | "broken" | "untrusted" | "incomplete" | "needs grant" | "pending";

export function stateOf({ status, disabled_by, active, runnable, origin, action }: Entry): State {
  if (status === "untrusted") return "untrusted";
  if (status === "pending") return "pending";
  if (status === "disabled") return disabled_by ? "off" : "broken";
  if (!active) return "hidden";
  if (runnable) return "active";
  return origin.scope === "project" && action !== null ? "needs grant" : "incomplete";
}

/** Returns the lines below an entry: the cause of its state, and the help. */
export function reasons(entry: Entry): string[] {
  const { shadowed_by: by, shadows, disabled_by: off, fallback_from: broken, active, config_scope: set, origin, slot, order } = entry;
  const lines: string[] = [];
  switch (stateOf(entry)) {
    case "hidden":
      if (by) lines.push(`Hidden by the ${whence(by)}.`);
      break;
    case "off":
      lines.push(off!.scope === "caller" ? "Disabled by the caller." : `Disabled by ${off!.path}${off!.line ? `, line ${off!.line}` : ""}.`);
      break;
    case "broken":
      lines.push("Invalid, so it is ignored.");
      break;
    case "untrusted":
      lines.push("Not trusted. Review it with `preface trust diff`, then run `preface trust grant`.");
      break;
    case "needs grant":
    case "pending":
      // A diagnostic of the service has the same text.
      if (entry.diagnostics.length === 0) lines.push("Running it needs a grant. Run `preface trust grant --allow-commands`.");
      break;
    case "incomplete":
      lines.push("A required field is missing.");
      break;
    case "active":
      break;
  }
  if (shadows.length > 0) lines.push(`Hides the ${shadows.map(whence).join(", and the ")}.`);
  if (broken) lines.push(`Used instead of the invalid ${whence(broken)}.`);
  if (active && RANK[set] > RANK[origin.scope]) lines.push(`Configured in the ${set} scope.`);
  if (slot !== null && order !== null) lines.push(`Position ${order + 1} in ${slot}.`);
  for (const { message, help } of entry.diagnostics) {
    // The row shows the name already.
    const words = sentence(message.replace(/^\w+\/\S+( \(\w+\):)? /, ""));
    lines.push(help ? `${words} ${sentence(help)}` : words);
  }
  return lines;
}

const RANK = { bundled: 0, global: 1, project: 2, caller: 3 };

const whence = ({ scope, path }: EntryOrigin): string => `${scope} entry (${path})`;
