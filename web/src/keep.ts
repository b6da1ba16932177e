// Stores small values in the browser. If the browser forbids that or is full, nothing is stored.

type Where = "session" | "local";

const place = (where: Where): Storage => (where === "session" ? sessionStorage : localStorage);

/** Stores or deletes a text; returns false on failure. */
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
