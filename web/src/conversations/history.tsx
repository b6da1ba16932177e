// The history of a conversation, each prompt compared with its successor.
import { useEffect, useState } from "preact/hooks";
import { ago, instant, size } from "../amount";
import { messageOf } from "../api/problem";
import type { HistoryItem } from "../api/types";
import { Button } from "../ui/button";
import type { Conversation } from "./conversation";
import { CompareLater } from "./later";
import { REASONS } from "./words";

type With = "next" | "now";

export function HistoryPanel({ conversation }: { conversation: Conversation }) {
  const [items, setItems] = useState<readonly HistoryItem[] | null>(null);
  const [next, setNext] = useState<string | null>(null);
  const [chosen, setChosen] = useState(0);
  const [against, setAgainst] = useState<With>("next");
  const [trouble, setTrouble] = useState("");
  const now = conversation.explained.value!.prompt;
  const read = async (after: string | null) => {
    try {
      const page = await conversation.history(after);
      setItems([...(after === null ? [] : (items ?? [])), ...page.items]);
      setNext(page.next);
      setTrouble("");
    } catch (error) {
      setTrouble(messageOf(error));
    }
  };
  useEffect(() => {
    setChosen(0);
    void read(null);
  }, [conversation, now.revision]);

  if (trouble) return <p class="empty" role="alert">{trouble}</p>;
  if (!items) return <p class="waiting">Loading…</p>;
  const was = items[chosen];
  if (!was) return <p class="empty">No earlier prompts.</p>;
  const later = against === "now" || chosen === 0 ? null : items[chosen - 1]!;
  const right = later
    ? { label: `Revision ${later.revision}`, text: later.system_prompt }
    : { label: `Revision ${now.revision} (current)`, text: now.system_prompt ?? "" };
  return (
    <div class="history">
      <div class="history-bar">
        <label class="label" for="history-which">
          Compare
        </label>
        <select class="field" id="history-which" value={chosen} onChange={(event) => setChosen(Number(event.currentTarget.value))}>
          {items.map(({ revision, reason, constructed_at: at }, row) => (
            <option key={revision} value={row}>
              Revision {revision}: {REASONS[reason]}, {ago(at)}
            </option>
          ))}
        </select>
        <label class="label" for="history-with">
          with
        </label>
        <select class="field" id="history-with" value={against} onChange={(event) => setAgainst(event.currentTarget.value as With)}>
          <option value="next">the next revision</option>
          <option value="now">the current revision</option>
        </select>
        {next !== null && (
          <Button small onClick={() => void read(next)}>
            Load older
          </Button>
        )}
        <p class="soft small">
          Built {instant(was.constructed_at)}, {size(was.bytes)}; replaced {ago(was.replaced_at)}.
        </p>
      </div>
      <CompareLater left={{ label: `Revision ${was.revision}`, text: was.system_prompt }} right={right} />
    </div>
  );
}
