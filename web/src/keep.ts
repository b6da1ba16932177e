// Keeps small things in the browser. Where a browser forbids that or is full, nothing is kept and nothing breaks.

type Where = "session" | "local";

const place = (where: Where): Storage => (where === "session" ? sessionStorage : localStorage);

/** Keeps a text, or forgets it; says whether that was done. */
export function keep(where: Where, name: string, text: string | null): boolean {
  try {
    if (text === null) place(where).removeItem(name);
    else place(where).setItem(name, text);
    return true;
  } catch {
    return false;
  }
}

export function kept(where: Where, name: string): string | null {
  try {
    return place(where).getItem(name);
  } catch {
    return null;
  }
}
