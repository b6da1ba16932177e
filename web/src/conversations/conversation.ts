// One conversation: its stored prompt with origins, and the actions on it.
import { signal } from "@preact/signals";
import { request, type RequestOptions } from "../api/client";
import { Problem, messageOf } from "../api/problem";
import type { ExplainReply, HistoryItem, RefreshReply } from "../api/types";
import type { components } from "../api/schema";
import { laid, type Laid } from "./laid";

export type Wanted = components["schemas"]["TurnBody"];
export type Compacted = components["schemas"]["CompactionReply"];

/** The page size of the history; each entry includes its text. */
const PAST = 5;

export class Conversation {
  readonly phase = signal<"loading" | "ready" | "missing" | "failed">("loading");
  readonly explained = signal<ExplainReply | null>(null);
  readonly prompt = signal<Laid | null>(null);
  readonly trouble = signal("");
  private etag: string | null = null;

  constructor(readonly id: string) {}

  async load(): Promise<void> {
    try {
      const { data, etag } = await request("get", "/conversations/{id}/explain", { path: { id: this.id } });
      this.etag = etag;
      this.explained.value = data;
      this.prompt.value = laid(data);
      this.phase.value = "ready";
      this.trouble.value = "";
    } catch (error) {
      this.trouble.value = messageOf(error);
      if (error instanceof Problem && error.status === 404) this.phase.value = "missing";
      else if (this.phase.peek() !== "ready") this.phase.value = "failed";
    }
  }

  /** Builds a new prompt and returns the difference, without storing it. */
  async tryRefresh(body: Wanted): Promise<RefreshReply> {
    return (await this.refreshed(body, true)).data;
  }

  /** Builds and stores a new prompt. Fails if the stored revision is not the one shown. */
  async refresh(body: Wanted): Promise<RefreshReply> {
    const { data } = await this.refreshed(body, false);
    await this.load();
    return data;
  }

  async compact(instructions: string): Promise<Compacted> {
    const body = instructions === "" ? {} : { instructions };
    const { data } = await request("post", "/conversations/{id}/compactions", { path: { id: this.id }, body, ifMatch: this.etag });
    await this.load();
    return data;
  }

  async forget(): Promise<void> {
    await request("delete", "/conversations/{id}", { path: { id: this.id }, ifMatch: this.etag });
  }

  /** Returns the history, newest first, and the cursor of the next page. */
  async history(after: string | null): Promise<{ items: HistoryItem[]; next: string | null }> {
    const query = { limit: PAST, ...(after !== null && { after }) };
    return (await request("get", "/conversations/{id}/history", { path: { id: this.id }, query })).data;
  }

  private refreshed(body: Wanted, dryRun: boolean) {
    const options: RequestOptions<"post", "/conversations/{id}/refresh"> = {
      path: { id: this.id },
      query: { dry_run: dryRun },
      body,
      ifMatch: this.etag,
    };
    return request("post", "/conversations/{id}/refresh", options);
  }
}

/** True if another client changed the conversation. */
export const isStale = (error: unknown): boolean => error instanceof Problem && error.status === 412;
