// The confirmation before a template is reset or deleted.
import { go } from "../../route";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { notify } from "../../ui/toast";
import { messageOf } from "../../api/problem";
import { adopt, forget } from "../desk";
import type { Session } from "../session";
import { MAIN } from "../stored";

export function ResetDialog({ session, close }: { session: Session; close: () => void }) {
  const main = session.name === MAIN;
  const act = async () => {
    close();
    const restore = await session.reset();
    if (!restore) return;
    const undo = () => restore().then(() => adopt(session), (error: unknown) => notify(messageOf(error), "bad"));
    notify(main ? "Reset to the default." : `Deleted ${session.name}.`, "good", { label: "Undo", act: () => void undo() });
    if (main) return;
    forget(session.name);
    go("edit", MAIN);
  };
  return (
    <Dialog
      title={main ? "Reset to the default template?" : `Delete ${session.name}?`}
      onClose={close}
      actions={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button kind="danger" onClick={() => void act()}>
            {main ? "Reset to default" : "Delete"}
          </Button>
        </>
      }
    >
      <p>
        {main
          ? "The built-in default replaces your template, and new conversations use it. "
          : "New conversations can no longer use it. "}
        The versions of your template are kept, and existing conversations keep their prompt.
      </p>
      {session.dirty.value && (
        <p>
          <strong>Your unsaved changes are discarded too.</strong> “Undo” restores them, and they stay in the list of unsaved texts for 7 days.
        </p>
      )}
    </Dialog>
  );
}
