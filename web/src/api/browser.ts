// The id of this browser. It owns unsaved texts on the service where no access token is needed.
import { keep, kept } from "../keep";

const NAME = "preface-browser";

export function browserId(): string {
  const known = kept("local", NAME);
  if (known !== null && /^[\w-]{8,64}$/.test(known)) return known;
  const fresh = randomId();
  return keep("local", NAME, fresh) ? fresh : "";
}

/** Returns an id that no one else has. */
export const randomId = (): string => Array.from(crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(36)).join("-");
