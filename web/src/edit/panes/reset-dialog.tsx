// Asks before a template goes back to the default, or away.
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
      title={main ? "Go back to the default template?" : `Delete ${session.name}?`}
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
          ? "New conversations start with the default again. "
          : "New conversations cannot choose it any more. "}
        What is stored now stays in the list of versions, and conversations that have begun keep their prompt.
      </p>
    </Dialog>
  );
}
