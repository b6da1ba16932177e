// Asks for confirmation before a template is reset or deleted.
import { go } from "../../route";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { forget } from "../desk";
import type { Session } from "../session";
import { MAIN } from "../stored";

export function ResetDialog({ session, close }: { session: Session; close: () => void }) {
  const main = session.name === MAIN;
  const act = async () => {
    close();
    if (!(await session.reset()) || main) return;
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
            {main ? "Reset" : "Delete"}
          </Button>
        </>
      }
    >
      <p>
        {main
          ? "New conversations use the built-in default. "
          : "New conversations can no longer use it. "}
        Earlier versions stay in the list, and existing conversations keep their prompt.
      </p>
    </Dialog>
  );
}
