// Sends requests to the service. Paths, bodies and responses have the types of its OpenAPI description.
import { meta, OLD_PAGE, renewed } from "./meta";
import { access, requestAccess, viewOnly } from "./access";
import { Away, Problem, isAborted, type ProblemBody } from "./problem";
import type { paths } from "./schema";

type Method = "get" | "put" | "post" | "delete";

/** The paths that support a method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P][M] extends { responses: unknown } ? P : never;
}[keyof paths];

type Operation<M extends Method, P extends PathOf<M>> = NonNullable<paths[P][M]>;
type Parameter<O, In extends string> = O extends { parameters: { [K in In]?: infer T } } ? T : never;
type Body<O> = O extends { requestBody?: infer R }
  ? NonNullable<R> extends { content: { "application/json": infer T } } ? T : undefined
  : undefined;
type Good<R> = R extends { 200: infer T } ? T : R extends { 204: unknown } ? never : never;
type Json<T> = T extends { content: { "application/json": infer J } } ? J : undefined;
/** The response body of a path on success. */
export type ReplyBody<M extends Method, P extends PathOf<M>> =
  Operation<M, P> extends { responses: infer R } ? ([Good<R>] extends [never] ? undefined : Json<Good<R>>) : never;

export interface RequestOptions<M extends Method, P extends PathOf<M>> {
  path?: Parameter<Operation<M, P>, "path">;
  query?: Parameter<Operation<M, P>, "query">;
  body?: Body<Operation<M, P>>;
  /** The ETag that a write is based on. */
  ifMatch?: string | null | undefined;
  /** True for a write that must be the first of its name. */
  ifNew?: boolean;
  /** The ETag of the version that the page has; status 304 is thrown as a `Problem` if it is current. */
  ifNoneMatch?: string | null | undefined;
  signal?: AbortSignal;
}

/** A response with the values of its headers. */
export interface Reply<T> {
  data: T;
  status: number;
  etag: string | null;
  /** The version of a template; 0 where nothing is stored. */
  version: number | null;
  /** True if the store is unavailable and this is the fallback. */
  degraded: boolean;
}

/** Sends a request; throws a `Problem` for an error response and `Away` if the service is unreachable. */
export async function request<M extends Method, P extends PathOf<M>>(
  method: M,
  path: P,
  options: RequestOptions<M, P> = {},
): Promise<Reply<ReplyBody<M, P>>> {
  const url = address(path, options.path as Fields, options.query as Fields);
  const headers = new Headers({ Accept: "application/json" });
  if (options.body !== undefined) headers.set("Content-Type", "application/json");
  if (method !== "get") headers.set("X-Preface-Token", meta.token);
  if (options.ifMatch) headers.set("If-Match", options.ifMatch);
  else if (options.ifNew) headers.set("If-None-Match", "*");
  else if (options.ifNoneMatch) headers.set("If-None-Match", options.ifNoneMatch);
  const init: RequestInit = { method: method.toUpperCase(), headers, cache: "no-store" };
  if (options.body !== undefined) init.body = JSON.stringify(options.body);
  if (options.signal) init.signal = options.signal;

  const response = await send(url, init, headers);
  const role = response.headers.get("Preface-Role");
  if (role && role !== "write") viewOnly.value = `The role \`write\` is required; the access token has the role \`${role}\`.`;
  if (!response.ok) throw await refusal(response);
  const text = await response.text();
  const version = response.headers.get("Preface-Version");
  return {
    data: (text === "" ? undefined : JSON.parse(text)) as ReplyBody<M, P>,
    status: response.status,
    etag: response.headers.get("ETag"),
    version: version === null ? null : Number(version),
    degraded: response.headers.has("Preface-Degraded"),
  };
}

/** Reads an address whose response is not JSON, or that the OpenAPI description lacks. */
export async function read(path: string, query: Record<string, string> = {}): Promise<Response> {
  const headers = new Headers();
  const response = await send(address(path, undefined, query), { headers, cache: "no-store" }, headers);
  if (!response.ok) throw await refusal(response);
  return response;
}

type Fields = Record<string, string | number | boolean | null | undefined> | undefined;

/** A request without a response for so long has failed, in milliseconds. */
const TIME_LIMIT = 15_000;

/**
 * Sends a request; if the service requires an access token, opens the dialog for one and sends it again. A service that was started
 * again refuses the writes of earlier pages: nothing of ours is lost by that, so the page takes the new token.
 */
async function send(url: string, init: RequestInit, headers: Headers): Promise<Response> {
  for (;;) {
    const token = access();
    if (token) headers.set("Authorization", `Bearer ${token}`);
    let response: Response;
    try {
      const limit = AbortSignal.timeout(TIME_LIMIT);
      response = await fetch(url, { ...init, signal: init.signal ? AbortSignal.any([init.signal, limit]) : limit });
    } catch (error) {
      if (isAborted(error) && init.signal?.aborted) throw error;
      throw new Away("the service is not responding");
    }
    if ((await isOfOldPage(response)) && (await renewed())) {
      headers.set("X-Preface-Token", meta.token);
      continue;
    }
    if (response.status !== 401 || !(await requestAccess(token))) return response;
  }
}

async function isOfOldPage(response: Response): Promise<boolean> {
  if (response.status !== 403) return false;
  const problem = (await response.clone().json().catch(() => ({}))) as Partial<ProblemBody>;
  return problem.code === OLD_PAGE;
}

async function refusal(response: Response): Promise<Error> {
  const kind = response.headers.get("Content-Type") ?? "";
  const body = kind.includes("json") ? ((await response.json().catch(() => ({}))) as Partial<ProblemBody>) : {};
  if (response.status === 502 || response.status === 504) return new Away("the service is not responding");
  if (response.status === 503) {
    const wait = Number(response.headers.get("Retry-After"));
    return new Away(body.detail ?? "the store is not responding", wait > 0 ? wait : 2);
  }
  return new Problem(response.status, body);
}

/** Fills the names in a path and adds the query. Addresses are relative, so that a prefix in front of the page is kept. */
function address(path: string, names: Fields, query: Fields): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(names?.[name] ?? "")));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== null && value !== undefined && value !== "") search.set(name, String(value));
  }
  const queryText = search.toString();
  return filled.replace(/^\//, "") + (queryText ? `?${queryText}` : "");
}
