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
  /** The identity of the store; empty if the service does not name it. */
  store: read("store"),
  /** The script that requests analyses. */
  worker: read("worker"),
  nonce: read("nonce"),
};

/** The code of a refusal by a service that was started again: its pages carry another token. */
export const OLD_PAGE = "page-token";

/** Takes the token of the service's new start from its page. False where that is the one we have. */
export async function renewed(): Promise<boolean> {
  const html = await fetch("./", { cache: "no-store" }).then((page) => page.text(), () => "");
  const token = /<meta name="preface-token" content="([\w-]+)">/.exec(html)?.[1] ?? meta.token;
  const isNew = token !== meta.token;
  meta.token = token;
  return isNew;
}
