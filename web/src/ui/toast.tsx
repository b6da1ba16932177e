// Temporary messages. They are announced; errors stay until they are closed.
import { signal } from "@preact/signals";
import { IconButton } from "./button";

export type Tone = "good" | "plain" | "bad";

interface Message {
  id: number;
  text: string;
  tone: Tone;
  action?: { label: string; act: () => void } | undefined;
}

const messages = signal<readonly Message[]>([]);
let last = 0;

/** Shows a message; `action` is a button beside it. */
export function notify(text: string, tone: Tone = "plain", action?: Message["action"]): void {
  const id = ++last;
  messages.value = [...messages.value.filter((one) => one.text !== text), { id, text, tone, action }].slice(-3);
  if (tone !== "bad") setTimeout(() => drop(id), action ? 9000 : 4500);
}

function drop(id: number): void {
  messages.value = messages.value.filter((one) => one.id !== id);
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-label="Messages">
      {messages.value.map(({ id, text, tone, action }) => (
        <div key={id} class={`toast ${tone}`}>
          <p>{text}</p>
          {action && (
            <button type="button" class="button small" onClick={() => (drop(id), action.act())}>
              {action.label}
            </button>
          )}
          <IconButton label="Dismiss" icon="close" onClick={() => drop(id)} />
        </div>
      ))}
    </div>
  );
}

/** A line across a screen that stays while something is so. */
export function Banner({ tone, children }: { tone: "bad" | "warning" | "plain"; children: preact.ComponentChildren }) {
  return (
    <div class={`banner ${tone}`} role={tone === "bad" ? "alert" : undefined}>
      {children}
    </div>
  );
}
