// The access token of a service that listens beyond its own machine. It is stored for this tab only.
import { signal } from "@preact/signals";
import { keep, kept } from "../keep";

const NAME = "preface-access";

/** Receives the token that the user enters; while it is set, the shell shows a dialog. */
export const wanted = signal<((token: string | null) => void) | null>(null);
let asking: Promise<boolean> | null = null;

export const access = (): string | null => kept("session", NAME);

/** Asks the user for a token. `refused` is the token that was just rejected. False if the user cancels. */
export function askForAccess(refused: string | null): Promise<boolean> {
  // Another request has asked meanwhile, and there is a new one to try.
  if (!asking && access() !== refused) return Promise.resolve(true);
  asking ??= new Promise<boolean>((done) => {
    wanted.value = (token) => {
      wanted.value = null;
      asking = null;
      if (token) keep("session", NAME, token);
      done(token !== null && token !== "");
    };
  });
  return asking;
}
