// Asks before an older text becomes the current one again.
import { useState } from "preact/hooks";
import { told } from "../api/problem";
import { unsaved } from "../edit/unsaved";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { say } from "../ui/toast";
import type { History } from "./history";

export function RestoreDialog({ history, version, close }: { history: History; version: number; close: (made?: number) => void }) {
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState("");
  const restore = async () => {
    setBusy(true);
    try {
      const made = await history.restore(version);
      say(made === history.current && made > 0 ? `Version ${made} says what version ${version} said.` : `Version ${version} is current again.`, "good");
      close(made);
    } catch (error) {
      setTrouble(told(error));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={`Restore version ${version}?`}
      onClose={() => close()}
      actions={
        <>
          <Button onClick={() => close()}>Cancel</Button>
          <Button kind="main" disabled={busy} onClick={() => void restore()}>
            {busy ? "Restoring…" : `Restore version ${version}`}
          </Button>
        </>
      }
    >
      <p>
        Its text is stored as a new version, {history.current + 1}, and speaks for new conversations from then on. Version {history.current} stays
        in the list; nothing is lost.
      </p>
      {unsaved.value.has(history.name) && (
        <p>Your unsaved text in the editor stays as it is. When you save it, both will be shown to you side by side.</p>
      )}
      {trouble && (
        <p class="trouble-words" role="alert">
          {trouble}
        </p>
      )}
    </Dialog>
  );
}
