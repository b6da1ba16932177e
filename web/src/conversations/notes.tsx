// The diagnostics of a prompt, each with location and help.
import { sentence } from "../api/problem";
import type { Diagnostic } from "../api/types";
import { escaped, head, Shown } from "../shown";
import { MessageText } from "../message-text";

const PILLS: Record<Diagnostic["severity"], string> = { info: "static", warning: "turn", error: "unknown" };

export function Notes({ notes }: { notes: readonly Diagnostic[] }) {
  if (notes.length === 0) return null;
  return (
    <ul class="notes" aria-label="Diagnostics">
      {notes.map(({ severity, message, help, location, code }, at) => (
        <li key={at}>
          <span class={`pill ${PILLS[severity]}`}>{severity}</span>{" "}
          <span>
            <MessageText text={escaped(head(sentence(message), 400))} />
            {location && (
              <span class="soft">
                {" "}
                <Shown text={`${location.path}${location.line ? `:${location.line}` : ""}`} most={120} />
              </span>
            )}{" "}
            {help && (
              <span class="soft">
                <MessageText text={escaped(head(sentence(help), 300))} />
              </span>
            )}{" "}
            <span class="soft mono">{escaped(code)}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}
