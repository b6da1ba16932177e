// Asks before a conversation is forgotten.
import { useState } from "preact/hooks";
import { told } from "../api/problem";
import { Shown } from "../shown";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { isStale, type Conversation } from "./conversation";

export function ForgetDialog({ conversation, close }: { conversation: Conversation; close: (forgotten: boolean) => void }) {
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState("");
  const forget = async () => {
    setBusy(true);
    try {
      await conversation.forget();
      close(true);
    } catch (error) {
      setTrouble(isStale(error) ? "Somebody else changed it meanwhile. It is shown as it is now; decide again." : told(error));
      if (isStale(error)) await conversation.load();
      setBusy(false);
    }
  };
  return (
    <Dialog
      title="Forget this conversation?"
      onClose={() => close(false)}
      actions={
        <>
          <Button onClick={() => close(false)}>Cancel</Button>
          <Button kind="danger" disabled={busy} onClick={() => void forget()}>
            {busy ? "Forgetting…" : "Forget it"}
          </Button>
        </>
      }
    >
      <p>
        The prompt of <Shown text={conversation.id} most={80} class="mono" /> and all before it are taken away; that cannot be undone.
      </p>
      <p>If its agent goes on, its next turn is a first turn: a new prompt is built, and a model’s cache starts anew.</p>
      {trouble && (
        <p class="trouble-words" role="alert">
          {trouble}
        </p>
      )}
    </Dialog>
  );
}
