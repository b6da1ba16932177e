// The confirmation before a conversation is deleted.
import { useState } from "preact/hooks";
import { messageOf } from "../api/problem";
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
      setTrouble(isStale(error) ? "This conversation was changed by another client. Review the new prompt, then confirm again." : messageOf(error));
      if (isStale(error)) await conversation.load();
      setBusy(false);
    }
  };
  return (
    <Dialog
      title="Delete this conversation?"
      onClose={() => close(false)}
      actions={
        <>
          <Button onClick={() => close(false)}>Cancel</Button>
          <Button kind="danger" disabled={busy} onClick={() => void forget()}>
            {busy ? "Deleting…" : "Delete"}
          </Button>
        </>
      }
    >
      <p>
        The stored prompt of <Shown text={conversation.id} most={80} class="mono" /> and its history are deleted. This cannot be undone.
      </p>
      <p>If the agent continues this conversation, its next turn builds a new prompt, and the model’s cache is lost.</p>
      {trouble && (
        <p class="trouble-words" role="alert">
          {trouble}
        </p>
      )}
    </Dialog>
  );
}
