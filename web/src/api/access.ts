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
let pending: Promise<boolean> | null = null;

export const access = (): string | null => kept("session", NAME);

/** Opens the dialog for a token. `refused` is the token that was just rejected. False if the user cancels. */
export function requestAccess(refused: string | null, again = refused !== null): Promise<boolean> {
  // Another request got a new token meanwhile.
  if (!pending && access() !== refused) return Promise.resolve(true);
  if (declined.peek()) return Promise.resolve(false);
  refusedToken.value = again;
  pending ??= new Promise<boolean>((done) => {
    wanted.value = (token) => {
      wanted.value = null;
      pending = null;
      declined.value = token === null;
      if (token) keep("session", NAME, token);
      done(token !== null && token !== "");
    };
  });
  return pending;
}

/** Opens the dialog because the user wants another token, and begins again with it. */
export async function changeAccess(): Promise<void> {
  declined.value = false;
  const changed = await requestAccess(access(), false);
  if (changed) location.reload();
}
