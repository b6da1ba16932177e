// A manual compaction: its effect on the prompt, and the instructions that its response adds.
import { useEffect, useState } from "preact/hooks";
import { amount } from "../amount";
import { messageOf } from "../api/problem";
import type { RefreshReply } from "../api/types";
import { escapedLines } from "../shown";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { useKeptField } from "../ui/kept-field";
import { isStale, type Compacted, type Conversation } from "./conversation";
import { copy } from "../ui/copy";
import { DifferenceView } from "./difference";

export function CompactDialog({ conversation, close }: { conversation: Conversation; close: () => void }) {
  const [before] = useState(conversation.prompt.value?.text ?? "");
  const [tried, setTried] = useState<RefreshReply | null>(null);
  const [instructions, setInstructions, forgetInstructions] = useKeptField(`compact:${conversation.id}`);
  const [made, setMade] = useState<Compacted | null>(null);
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState("");
  useEffect(() => {
    conversation.tryRefresh({}).then(setTried, (error: unknown) => setTrouble(messageOf(error)));
  }, []);
  const compact = async () => {
    setBusy(true);
    setTrouble("");
    try {
      setMade(await conversation.compact(instructions.trim()));
      forgetInstructions();
    } catch (error) {
      setTrouble(isStale(error) ? "This conversation was changed by another client. Close this dialog and review the new prompt." : messageOf(error));
      if (isStale(error)) await conversation.load();
    }
    setBusy(false);
  };
  if (made) return <Done made={made} close={close} />;
  return (
    <Dialog
      title="Prompt for a compaction"
      size="wide"
      onClose={close}
      actions={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button kind="main" disabled={busy} onClick={() => void compact()}>
            {busy ? "Building…" : "Build and store"}
          </Button>
        </>
      }
    >
      <div class="refresh">
        <p class="soft">
          An agent compacts a conversation when it replaces the messages by a summary. For that request, the prompt is rebuilt with
          current values and stored, and you get it with instructions for the summary. Later turns get the prompt without them. The
          messages are not in this service.
        </p>
        <label class="label">
          Additional instructions
          <textarea
            class="field block"
            rows={3}
            value={instructions}
            placeholder="Default: the instructions of the profile"
            onInput={(event) => setInstructions(event.currentTarget.value)}
          />
        </label>
        {trouble && (
          <p class="trouble-words" role="alert">
            {trouble}
          </p>
        )}
        <h3>Changes to the prompt</h3>
        {tried ? (
          <DifferenceView before={before} difference={tried.difference} labels={["Stored", "New"]} />
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
      title={`Revision ${made.revision} stored`}
      size="medium"
      onClose={close}
      actions={
        <>
          <Button onClick={() => void copy(whole, "Prompt and instructions")}>Copy prompt and instructions</Button>
          <Button kind="main" onClick={close}>
            Done
          </Button>
        </>
      }
    >
      <p>
        These instructions were appended to the prompt in this response only: {amount(made.instructions.length, "character")}. Later turns get
        the prompt without them.
      </p>
      <pre class="added-text" tabIndex={0} aria-label="Instructions">
        {escapedLines(made.instructions.slice(0, 20_000))}
      </pre>
    </Dialog>
  );
}
