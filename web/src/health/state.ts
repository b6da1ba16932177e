// How an entry stands, in one word, and what there is to tell beside it. The command line's listings use the same words.
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

/** The lines beside an entry: who hides it, who switched it off, what is wrong, what to do. */
export function reasons(entry: Entry): string[] {
  const { shadowed_by: by, shadows, disabled_by: off, fallback_from: broken, active, config_scope: set, origin, slot, order } = entry;
  const lines: string[] = [];
  switch (stateOf(entry)) {
    case "hidden":
      if (by) lines.push(`Hidden by the ${whence(by)}.`);
      break;
    case "off":
      lines.push(off!.scope === "caller" ? "Switched off by the caller." : `Switched off by ${off!.path}${off!.line ? `, line ${off!.line}` : ""}.`);
      break;
    case "broken":
      lines.push("It is broken, so it does not take part.");
      break;
    case "untrusted":
      lines.push("It waits for trust: nobody has looked at what it says. `preface trust grant` lets it speak.");
      break;
    case "needs grant":
    case "pending":
      // The service's own note says so as well, where there is one.
      if (entry.diagnostics.length === 0) lines.push("It may not run yet: `preface trust grant --allow-commands`.");
      break;
    case "incomplete":
      lines.push("It lacks something that it needs to be used.");
      break;
    case "active":
      break;
  }
  if (shadows.length > 0) lines.push(`Hides the ${shadows.map(whence).join(", and the ")}.`);
  if (broken) lines.push(`Stays active, because the one above it cannot be used: the ${whence(broken)}.`);
  if (active && RANK[set] > RANK[origin.scope]) lines.push(`Configured by the ${set} layer.`);
  if (slot !== null && order !== null) lines.push(`Runs as number ${order + 1} of ${slot}.`);
  for (const { message, help } of entry.diagnostics) {
    // Its name stands in the row already.
    const words = sentence(message.replace(/^\w+\/\S+( \(\w+\):)? /, ""));
    lines.push(help ? `${words} ${sentence(help)}` : words);
  }
  return lines;
}

const RANK = { bundled: 0, global: 1, project: 2, caller: 3 };

const whence = ({ scope, path }: EntryOrigin): string => `${scope} one (${path})`;
