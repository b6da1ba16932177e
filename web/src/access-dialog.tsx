// Asks for an access token, where the service is open to more than its own machine.
import { useState } from "preact/hooks";
import { Button } from "./ui/button";
import { Dialog } from "./ui/dialog";

export function AccessDialog({ done }: { done: (token: string | null) => void }) {
  const [token, setToken] = useState("");
  return (
    <Dialog
      title="This service wants an access token"
      onClose={() => done(null)}
      actions={
        <>
          <Button onClick={() => done(null)}>Not now</Button>
          <Button kind="main" disabled={token.trim() === ""} onClick={() => done(token.trim())}>
            Use it
          </Button>
        </>
      }
    >
      <p>Whoever runs the service makes one with <code>preface token create NAME --role ROLE</code>. The role decides what can be done here: <code>read</code> shows, <code>analyze</code> also previews, <code>write</code> also saves. It is kept until this tab is closed.</p>
      <p>
        <label class="label" for="access-token">Access token</label>
        <input
          class="field block"
          id="access-token"
          type="password"
          autocomplete="off"
          value={token}
          onInput={(event) => setToken(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && token.trim() !== "") done(token.trim());
          }}
        />
      </p>
    </Dialog>
  );
}
