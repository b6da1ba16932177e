// The dialog for an access token, where the service is open to more than its own machine.
import { useState } from "preact/hooks";
import { refusedToken } from "./api/access";
import { Button } from "./ui/button";
import { Dialog } from "./ui/dialog";

export function AccessDialog({ done }: { done: (token: string | null) => void }) {
  const [token, setToken] = useState("");
  return (
    <Dialog
      title="Access token required"
      onClose={() => done(null)}
      actions={
        <>
          <Button onClick={() => done(null)}>Cancel</Button>
          <Button kind="main" disabled={token.trim() === ""} onClick={() => done(token.trim())}>
            Continue
          </Button>
        </>
      }
    >
      <p>The operator of the service creates a token with <code>preface token create NAME --role ROLE</code>. The role <code>read</code> permits viewing, <code>analyze</code> also previews, <code>write</code> also saving. The token is stored until this tab is closed.</p>
      {refusedToken.value && (
        <p class="refused" role="alert">
          The service refused this token: it is unknown or has expired. Check it, or get a new one from the operator of the service.
        </p>
      )}
      <p>
        <label class="label" for="access-token">Access token</label>
        <input
          class="field block"
          id="access-token"
          type="password"
          aria-invalid={refusedToken.value}
          autocomplete="off"
          value={token}
          onInput={(event) => setToken(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || token.trim() === "") return;
            // The focus goes back to the text, which must not get the key.
            event.preventDefault();
            done(token.trim());
          }}
        />
      </p>
    </Dialog>
  );
}
