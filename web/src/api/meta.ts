// What the service wrote into the page: the token that its writes carry, a root to work in, the nonce of its styles. And what
// the build wrote: where the worker lies.

function read(name: string): string {
  const content = document.querySelector<HTMLMetaElement>(`meta[name="preface-${name}"]`)?.content ?? "";
  // A page that was not filled in has the placeholders still.
  return /^\{\{\w+\}\}$/.test(content) ? "" : content;
}

export const meta = {
  token: read("token"),
  root: read("root"),
  /** The script that asks for analyses. */
  worker: read("worker"),
  nonce: read("nonce"),
};
