// What goes wrong when asking the service, in a form that a person can read.
import { size } from "../amount";
import type { components } from "./schema";

export type ProblemBody = components["schemas"]["Problem"];

/** The service answered that it will not or cannot. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly help: string | null;
  readonly requestId: string | null;
  readonly diagnostics: ProblemBody["diagnostics"];

  constructor(status: number, body: Partial<ProblemBody>) {
    super(sentence(body.detail ?? body.title ?? `the service answered ${status}`));
    this.name = "Problem";
    this.status = status;
    this.code = body.code ?? "";
    this.help = body.help ?? null;
    this.requestId = body.request_id ?? null;
    this.diagnostics = body.diagnostics ?? [];
  }
}

/** Nobody answered: no connection, or nothing behind it. */
export class Away extends Error {
  readonly retryAfter: number;

  constructor(message: string, retryAfter = 2) {
    super(message);
    this.name = "Away";
    this.retryAfter = retryAfter;
  }
}

/** True for an error that says that the request was given up on purpose. */
export function isAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

/** True where the role of the access token does not permit a request: a limit, and not a failure. */
export function isNotPermitted(error: unknown): boolean {
  return error instanceof Problem && error.code === "role";
}

/** Returns what to tell a person about an error. */
export function told(error: unknown): string {
  if (isNotPermitted(error)) return `Your access token does not permit this. ${(error as Problem).message}`;
  if (error instanceof Problem && /^(template|body)-too-large$/.test(error.code)) return tooLarge(error);
  if (error instanceof Problem) return error.help ? `${error.message} ${sentence(error.help)}` : error.message;
  return error instanceof Error ? sentence(error.message) : sentence(String(error));
}

/** Its help is for whoever runs the service; a writer wants to know how long a text may be. */
function tooLarge({ message }: Problem): string {
  const [is, most] = (message.match(/\d+/g) ?? []).map(Number);
  const limit = most ? ` It is ${size(is!)}; the most is ${size(most)} (${most.toLocaleString("en")} bytes).` : "";
  return `This text is too long to be saved.${limit} Shorten it, or split it into templates or files.`;
}

/** The service's sentences start small and end open; on a page they are sentences. */
export function sentence(text: string): string {
  const trimmed = text.trim();
  if (trimmed === "") return "";
  const first = trimmed.startsWith("`") ? trimmed : trimmed[0]!.toUpperCase() + trimmed.slice(1);
  return /[.!?…`:]$/.test(first) && !first.endsWith("`") ? first : `${first}.`;
}
