// Errors of requests to the service, as messages for the user.
import { size } from "../amount";
import type { components } from "./schema";

export type ProblemBody = components["schemas"]["Problem"];

/** An error response of the service. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly help: string | null;
  readonly requestId: string | null;
  readonly diagnostics: ProblemBody["diagnostics"];

  constructor(status: number, body: Partial<ProblemBody>) {
    super(sentence(body.detail ?? body.title ?? `the service returned HTTP ${status}`));
    this.name = "Problem";
    this.status = status;
    this.code = body.code ?? "";
    this.help = body.help ?? null;
    this.requestId = body.request_id ?? null;
    this.diagnostics = body.diagnostics ?? [];
  }
}

/** The service or its store is unreachable. */
export class Away extends Error {
  readonly retryAfter: number;

  constructor(message: string, retryAfter = 2) {
    super(message);
    this.name = "Away";
    this.retryAfter = retryAfter;
  }
}

/** True if the request was aborted on purpose. */
export function isAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

/** True if the role of the access token does not permit the request. */
export function isNotPermitted(error: unknown): boolean {
  return error instanceof Problem && error.code === "role";
}

/** Returns the message for an error. */
export function messageOf(error: unknown): string {
  if (isNotPermitted(error)) return `Your access token does not permit this. ${(error as Problem).message}`;
  // The help of the service is for other programs than this page.
  if (error instanceof Problem && error.status === 401) return "The service requires an access token.";
  if (error instanceof Problem && /^(template|body)-too-large$/.test(error.code)) return tooLarge(error);
  if (error instanceof Problem) return error.help ? `${error.message} ${sentence(error.help)}` : error.message;
  return error instanceof Error ? sentence(error.message) : sentence(String(error));
}

/** The help of the service is for its operator; the author of a template needs the limit. */
function tooLarge({ message }: Problem): string {
  const [is, most] = (message.match(/\d+/g) ?? []).map(Number);
  const limit = most ? ` Its size is ${size(is!)}; the limit is ${size(most)} (${most.toLocaleString("en")} bytes).` : "";
  return `The template is too large to save.${limit} Shorten it, or split it into several templates or files.`;
}

/** Capitalizes a message of the service and adds the final period. */
export function sentence(text: string): string {
  const trimmed = text.trim();
  if (trimmed === "") return "";
  const first = trimmed.startsWith("`") ? trimmed : trimmed[0]!.toUpperCase() + trimmed.slice(1);
  return /[.!?…`:]$/.test(first) && !first.endsWith("`") ? first : `${first}.`;
}
