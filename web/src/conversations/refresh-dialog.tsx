// Rebuilds the prompt: first as a preview of the changes, then, on confirmation, to store it.
import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../api/problem";
import type { RefreshReply } from "../api/types";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { notify } from "../ui/toast";
import { isStale, type Conversation, type Wanted } from "./conversation";
import { DifferenceView } from "./difference";
import { Notes } from "./notes";

const FIELDS = [
  { name: "template", label: "Template", hint: "main, main@prod or main@3" },
  { name: "directory", label: "Directory", hint: "absolute path within a root" },
  { name: "model", label: "Model", hint: "" },
  { name: "preset", label: "Preset", hint: "" },
] as const;

type Fields = Partial<Record<(typeof FIELDS)[number]["name"], string>>;

export function RefreshDialog({ conversation, close }: { conversation: Conversation; close: () => void }) {
  const [fields, setFields] = useState<Fields>({});
  const [tried, setTried] = useState<{ reply: RefreshReply; wanted: Wanted; before: string } | null>(null);
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState("");
  const wanted = given(fields);

  const attempt = async () => {
    setBusy(true);
    setTrouble("");
    try {
      const reply = await conversation.tryRefresh(wanted);
      setTried({ reply, wanted, before: conversation.prompt.value?.text ?? "" });
    } catch (error) {
      setTried(null);
      setTrouble(messageOf(error));
      if (isStale(error)) await conversation.load();
    }
    setBusy(false);
  };
  const confirm = async () => {
    setBusy(true);
    try {
      const { revision, constructed } = await conversation.refresh(wanted);
      notify(constructed ? `Revision ${revision} stored.` : "No changes: the prompt is identical.", "good");
      close();
    } catch (error) {
      setTried(null);
      setTrouble(isStale(error) ? "This conversation was changed by another client. Preview the changes again." : messageOf(error));
      if (isStale(error)) await conversation.load();
      setBusy(false);
    }
  };
  useEffect(() => void attempt(), []);

  // The preview is outdated once the fields change.
  const shown = tried && JSON.stringify(tried.wanted) === JSON.stringify(wanted);
  const nothing = tried?.reply.difference.same && Object.keys(wanted).length === 0;
  return (
    <Dialog
      title="Refresh prompt"
      size="wide"
      onClose={close}
      actions={
        <>
          <Button onClick={close}>Cancel</Button>
          {shown ? (
            <Button kind="main" disabled={busy || nothing === true} onClick={() => void confirm()}>
              Store new prompt
            </Button>
          ) : (
            <Button kind="main" disabled={busy} onClick={() => void attempt()}>
              Preview changes
            </Button>
          )}
        </>
      }
    >
      <div class="refresh">
        <p class="soft">
          The prompt is rebuilt with current values. Nothing is stored until you confirm. Values that change with every build, such as the time,
          are read again when you confirm.
        </p>
        <details class="otherwise">
          <summary>Change inputs</summary>
          <div class="otherwise-fields">
            {FIELDS.map(({ name, label, hint }) => (
              <label key={name} class="label">
                {label}
                <input
                  class="field block"
                  value={fields[name] ?? ""}
                  placeholder={hint || "unchanged"}
                  autocomplete="off"
                  spellcheck={false}
                  onInput={(event) => setFields({ ...fields, [name]: event.currentTarget.value })}
                  onKeyDown={(event) => {
                    if (event.key === "Enter") void attempt();
                  }}
                />
              </label>
            ))}
          </div>
        </details>
        {trouble && (
          <p class="trouble-words" role="alert">
            {trouble}
          </p>
        )}
        {!tried && !trouble && <p class="waiting">Building…</p>}
        {tried && !shown && <p role="status">The inputs have changed. Preview the changes again.</p>}
        {tried && shown && (
          <>
            <Notes notes={tried.reply.diagnostics.filter(({ severity }) => severity !== "info")} />
            <DifferenceView before={tried.before} difference={tried.reply.difference} labels={["Stored", "New"]} />
          </>
        )}
      </div>
    </Dialog>
  );
}

function given(fields: Fields): Wanted {
  const filled = Object.entries(fields).filter(([, value]) => value.trim() !== "");
  return filled.length === 0 ? {} : { options: Object.fromEntries(filled.map(([name, value]) => [name, value.trim()])) };
}
