// Keeps the analysis near the text: one request at a time, soon after a change. The caller
// maps the result through what was typed since.
import { signal } from "@preact/signals";
import { access, requestAccess } from "../../api/access";
import { meta, OLD_PAGE, renewed } from "../../api/meta";
import { isNotPermitted, Problem, messageOf, type ProblemBody } from "../../api/problem";
import { currentInputs, declared, tried } from "../context";
import type { Packed } from "./packed";
import type { Got, Wanted } from "./worker";

export interface Source {
  /** Returns the text, and marks it as the one that the next analysis is of. */
  take: () => string;
  show: (packed: Packed) => void;
}

/** The reason why the analysis fails; empty on success. */
export const trouble = signal("");
/** True if the role of the access token permits no previews. */
export const notPermitted = signal(false);
/** True while the shown analysis is outdated. */
export const behind = signal(false);

/** Codes of problems with the directory. */
const NO_DIRECTORY = ["cwd", "outside-roots", "no-directory"];

const QUICKEST = 20;
const SLOWEST = 120;
const AGAIN = 2000;

class Analyzer {
  private source: Source | null = null;
  private worker: Worker | null = null;
  private id = 0;
  private inFlight = false;
  private wanted = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private sentAt = 0;
  /** How long the last analysis took: a text that is slow to analyze is sent less often. */
  private took = QUICKEST;
  private withoutDirectory = false;

  /** Replaces the text. An analysis that is under way is of another one and is dropped. */
  of(source: Source | null): void {
    this.source = source;
    this.id++;
    this.inFlight = false;
    this.withoutDirectory = false;
    trouble.value = "";
    if (source) this.now();
  }

  soon(): void {
    behind.value = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.now(), Math.min(Math.max(this.took / 4, QUICKEST), SLOWEST));
  }

  now(): void {
    clearTimeout(this.timer);
    if (!this.source) return;
    behind.value = true;
    if (this.inFlight) {
      this.wanted = true;
      return;
    }
    this.inFlight = true;
    this.wanted = false;
    this.sentAt = performance.now();
    const token = access();
    const { directory, ...rest } = currentInputs();
    const options = { ...rest, ...tried(), ...(directory && !this.withoutDirectory && { directory }) };
    const wanted: Wanted = {
      id: ++this.id,
      body: { template: this.source.take(), variables: { ...declared.peek() }, options, language: {} },
      headers: {
        "Content-Type": "application/json",
        "X-Preface-Token": meta.token,
        ...(token && { Authorization: `Bearer ${token}` }),
      },
    };
    this.hands().postMessage(wanted);
  }

  /** Analyzes again after the context has changed. */
  anew(): void {
    this.withoutDirectory = false;
    this.soon();
  }

  private hands(): Worker {
    if (!this.worker) {
      this.worker = new Worker(meta.worker, { type: "module", name: "analysis" });
      this.worker.onmessage = ({ data }: MessageEvent<Got>) => void this.got(data);
      this.worker.onerror = () => this.hindered("No preview: its script could not be loaded.");
    }
    return this.worker;
  }

  private async got(got: Got): Promise<void> {
    if (got.id !== this.id) return;
    this.inFlight = false;
    if (got.kind === "analysis") {
      this.took = performance.now() - this.sentAt;
      if (!this.withoutDirectory) trouble.value = "";
      this.source?.show(got.packed);
      if (this.wanted) this.soon();
      else behind.value = false;
    } else if (got.kind === "away" || got.status >= 502) {
      this.hindered("The service is not responding. The preview may be outdated.");
      this.timer = setTimeout(() => this.now(), AGAIN);
    } else await this.refused(got.status, got.body as Partial<ProblemBody>);
  }

  private async refused(status: number, body: Partial<ProblemBody>): Promise<void> {
    if (status === 401 && (await requestAccess(access()))) return this.now();
    const problem = new Problem(status, body);
    if (problem.code === OLD_PAGE && (await renewed())) return this.now();
    this.hindered(messageOf(problem));
    notPermitted.value = isNotPermitted(problem);
    if (NO_DIRECTORY.includes(problem.code) && !this.withoutDirectory) {
      this.withoutDirectory = true;
      trouble.value = `${problem.message} The preview does not use a directory.`;
      this.now();
    }
  }

  private hindered(why: string): void {
    this.inFlight = false;
    notPermitted.value = false;
    trouble.value = why;
  }
}

export const analyzer = new Analyzer();
