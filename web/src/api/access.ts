// The access token of a service that listens beyond its own machine. It is stored for this tab only.
import { signal } from "@preact/signals";
import { keep, kept } from "../keep";

const NAME = "preface-access";

/** Receives the token that the user enters; while it is set, the shell shows a dialog. */
export const wanted = signal<((token: string | null) => void) | null>(null);
/** True if the service refused the token that was entered last. */
export const refusedToken = signal(false);
/** True if the user closed the dialog without a token. */
export const declined = signal(false);
/** The reason why this token permits no writes; empty if it does, as far as it is known. */
export const viewOnly = signal("");
let asking: Promise<boolean> | null = null;

export const access = (): string | null => kept("session", NAME);

/** Asks the user for a token. `refused` is the token that was just rejected. False if the user cancels. */
export function askForAccess(refused: string | null, again = refused !== null): Promise<boolean> {
  // Another request has asked meanwhile, and there is a new one to try.
  if (!asking && access() !== refused) return Promise.resolve(true);
  if (declined.peek()) return Promise.resolve(false);
  refusedToken.value = again;
  asking ??= new Promise<boolean>((done) => {
    wanted.value = (token) => {
      wanted.value = null;
      asking = null;
      declined.value = token === null;
      if (token) keep("session", NAME, token);
      done(token !== null && token !== "");
    };
  });
  return asking;
}

/** Asks for a token because the user wants to use another one, and begins again with it. */
export async function changeAccess(): Promise<void> {
  declined.value = false;
  const changed = await askForAccess(access(), false);
  if (changed) location.reload();
}
