// A compaction by hand: what it would change, what it adds to its own answer, and that answer to take along.
import { useEffect, useState } from "preact/hooks";
import { amount } from "../amount";
import { told } from "../api/problem";
import type { RefreshReply } from "../api/types";
import { escapedLines } from "../shown";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { isStale, type Compacted, type Conversation } from "./conversation";
import { copy } from "./copy";
import { DifferenceView } from "./difference";

export function CompactDialog({ conversation, close }: { conversation: Conversation; close: () => void }) {
  const [before] = useState(conversation.prompt.value?.text ?? "");
  const [tried, setTried] = useState<RefreshReply | null>(null);
  const [instructions, setInstructions] = useState("");
  const [made, setMade] = useState<Compacted | null>(null);
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState("");
  useEffect(() => {
    conversation.tryRefresh({}).then(setTried, (error: unknown) => setTrouble(told(error)));
  }, []);
  const compact = async () => {
    setBusy(true);
    setTrouble("");
    try {
      setMade(await conversation.compact(instructions.trim()));
    } catch (error) {
      setTrouble(isStale(error) ? "Somebody else changed this conversation meanwhile. Close this and look again." : told(error));
      if (isStale(error)) await conversation.load();
    }
    setBusy(false);
  };
  if (made) return <Done made={made} close={close} />;
  return (
    <Dialog
      title="Compact the conversation"
      size="wide"
      onClose={close}
      actions={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button kind="main" disabled={busy} onClick={() => void compact()}>
            {busy ? "Compacting…" : "Compact now"}
          </Button>
        </>
      }
    >
      <div class="refresh">
        <p class="soft">
          Agents do this when a conversation is summarised. The prompt is built afresh and kept; the answer to this one request also ends with
          instructions for the summary. Later turns get the prompt without them.
        </p>
        <label class="label">
          Instructions to add
          <textarea
            class="field block"
            rows={3}
            value={instructions}
            placeholder="The profile’s own. You see them in the answer."
            onInput={(event) => setInstructions(event.currentTarget.value)}
          />
        </label>
        {trouble && (
          <p class="trouble-words" role="alert">
            {trouble}
          </p>
        )}
        <h3>What it would change in the prompt</h3>
        {tried ? (
          <DifferenceView before={before} difference={tried.difference} labels={["Kept now", "Fresh"]} />
        ) : (
          !trouble && <p class="waiting">Building…</p>
        )}
      </div>
    </Dialog>
  );
}

function Done({ made, close }: { made: Compacted; close: () => void }) {
  const whole = made.system_prompt ?? "";
  return (
    <Dialog
      title={`Revision ${made.revision} is kept`}
      size="medium"
      onClose={close}
      actions={
        <>
          <Button onClick={() => copy(whole, "The prompt with its instructions is copied.")}>Copy prompt and instructions</Button>
          <Button kind="main" onClick={close}>
            Done
          </Button>
        </>
      }
    >
      <p>
        This was added behind the prompt, for this one answer: {amount(made.instructions.length, "character")}. Later turns get the prompt
        without it.
      </p>
      <pre class="added-text" tabIndex={0} aria-label="Instructions">
        {escapedLines(made.instructions.slice(0, 20_000))}
      </pre>
    </Dialog>
  );
}
