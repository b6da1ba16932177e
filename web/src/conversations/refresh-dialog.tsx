// Builds the prompt afresh: first only to see what that would change, then, if somebody wants it, to keep it.
import { useEffect, useState } from "preact/hooks";
import { told } from "../api/problem";
import type { RefreshReply } from "../api/types";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { say } from "../ui/toast";
import { isStale, type Conversation, type Wanted } from "./conversation";
import { DifferenceView } from "./difference";
import { Notes } from "./notes";

const FIELDS = [
  { name: "template", label: "Template", hint: "main, main@prod or main@3" },
  { name: "cwd", label: "Directory", hint: "absolute, in a root" },
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
      setTrouble(told(error));
      if (isStale(error)) await conversation.load();
    }
    setBusy(false);
  };
  const confirm = async () => {
    setBusy(true);
    try {
      const { revision, constructed } = await conversation.refresh(wanted);
      say(constructed ? `Revision ${revision} is kept now.` : "The prompt came out the same; nothing was changed.", "good");
      close();
    } catch (error) {
      setTried(null);
      setTrouble(isStale(error) ? "Somebody else changed this conversation meanwhile. Look at what would change now." : told(error));
      if (isStale(error)) await conversation.load();
      setBusy(false);
    }
  };
  useEffect(() => void attempt(), []);

  // What was shown is what was asked for then.
  const shown = tried && JSON.stringify(tried.wanted) === JSON.stringify(wanted);
  const nothing = tried?.reply.difference.same && Object.keys(wanted).length === 0;
  return (
    <Dialog
      title="Refresh the prompt"
      size="wide"
      onClose={close}
      actions={
        <>
          <Button onClick={close}>Cancel</Button>
          {shown ? (
            <Button kind="main" disabled={busy || nothing === true} onClick={() => void confirm()}>
              Keep the new prompt
            </Button>
          ) : (
            <Button kind="main" disabled={busy} onClick={() => void attempt()}>
              Show what would change
            </Button>
          )}
        </>
      }
    >
      <div class="refresh">
        <p class="soft">
          The prompt is built with the values of now. So far nothing is kept: the conversation goes on with its prompt until you decide. Values
          that change all the time, such as the time, are read once more then.
        </p>
        <details class="otherwise">
          <summary>Build it with something else</summary>
          <div class="otherwise-fields">
            {FIELDS.map(({ name, label, hint }) => (
              <label key={name} class="label">
                {label}
                <input
                  class="field block"
                  value={fields[name] ?? ""}
                  placeholder={hint || "as before"}
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
        {tried && !shown && <p role="status">You have changed what it is built with: look at what would change.</p>}
        {tried && shown && (
          <>
            <Notes notes={tried.reply.diagnostics.filter(({ severity }) => severity !== "info")} />
            <DifferenceView before={tried.before} difference={tried.reply.difference} labels={["Kept now", "Fresh"]} />
          </>
        )}
      </div>
    </Dialog>
  );
}

function given(fields: Fields): Wanted {
  const filled = Object.entries(fields).filter(([, value]) => value.trim() !== "");
  return Object.fromEntries(filled.map(([name, value]) => [name, value.trim()]));
}
