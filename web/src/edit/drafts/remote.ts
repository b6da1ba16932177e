// Drafts on the service: a copy of each draft of this tab, and the drafts of other browsers with the same access token.
import { access } from "../../api/access";
import { request } from "../../api/client";
import { Away, isAborted, isNotPermitted, Problem } from "../../api/problem";
import type { DraftEntry } from "../../api/types";
import type { Draft } from "./record";

/** The drafts of a template are sent at most so often, in milliseconds. */
const PAUSE = 1000;
/** After a failure, the next attempt is made so much later. */
const RETRY = 3000;

/** The draft of a template on its way to the service. */
interface Outgoing {
  /** What is to be sent; null deletes the draft. */
  draft: Draft | null;
  /** True if it was not sent yet. */
  pending: boolean;
  timer: ReturnType<typeof setTimeout> | undefined;
  /** Milliseconds of the page's life. */
  sentAt: number;
  busy: boolean;
}

export class RemoteDrafts {
  private readonly outgoing = new Map<string, Outgoing>();
  /** The access token with which the service refused drafts; null for none. */
  private refused: string | null | undefined;

  constructor(private readonly tab: () => string) {}

  /** False once the service refused, until there is another token. */
  private get permitted(): boolean {
    return this.refused === undefined || this.refused !== access();
  }

  /** Sends a draft of this tab soon; null deletes it. */
  keep(template: string, draft: Draft | null): void {
    let one = this.outgoing.get(template);
    if (!one) this.outgoing.set(template, (one = { draft, pending: false, timer: undefined, sentAt: -PAUSE, busy: false }));
    one.draft = draft;
    one.pending = true;
    this.plan(template, one, one.sentAt + PAUSE - performance.now());
  }

  /** Lists the drafts of this owner; empty if the service does not give them. */
  async list(): Promise<DraftEntry[]> {
    if (!this.permitted) return [];
    return request("get", "/drafts").then(
      ({ data }) => data.items,
      (error: unknown) => (this.failed(error), []),
    );
  }

  /** Returns a draft with the text of its version. */
  async read({ name, id, version, etag }: DraftEntry): Promise<Draft> {
    const { data } = await request("get", "/templates/{name}/drafts/{draft}", { path: { name, draft: id } });
    return { text: data.template, version, etag: etag ?? null, base: await baseOf(name, version) };
  }

  /** Deletes a draft of any tab. */
  async remove(name: string, id: string): Promise<void> {
    if (!this.permitted) return;
    await request("delete", "/templates/{name}/drafts/{draft}", { path: { name, draft: id } }).catch((error: unknown) => this.failed(error));
  }

  private plan(template: string, one: Outgoing, wait: number): void {
    if (!this.permitted || one.busy) return;
    clearTimeout(one.timer);
    one.timer = setTimeout(() => void this.send(template, one), Math.max(0, wait));
  }

  private async send(template: string, one: Outgoing): Promise<void> {
    const { draft } = one;
    one.busy = true;
    one.pending = false;
    one.sentAt = performance.now();
    let wait = PAUSE;
    const path = { name: template, draft: this.tab() };
    try {
      if (draft) await request("put", "/templates/{name}/drafts/{draft}", { path, body: { template: draft.text, version: draft.version, etag: draft.etag } });
      else await request("delete", "/templates/{name}/drafts/{draft}", { path });
    } catch (error) {
      this.failed(error);
      if (error instanceof Away || isAborted(error)) {
        wait = RETRY;
        one.pending = true;
      }
    }
    one.busy = false;
    if (one.pending) this.plan(template, one, wait);
  }

  private failed(error: unknown): void {
    if (isNotPermitted(error) || (error instanceof Problem && (error.status === 401 || error.code === "no-route"))) this.refused = access();
  }
}

/** Returns the text of a version; null if it cannot be read. */
async function baseOf(name: string, version: number): Promise<string | null> {
  if (version === 0) return null;
  const read = request("get", "/templates/{name}/versions/{version}", { path: { name, version } });
  return read.then(({ data }) => data.template, () => null);
}
