// Requests an analysis outside of the page's thread: writing, sending, reading and packing a megabyte would block typing.
import type { Analysis, AnalyzeWrite } from "../../api/types";
import { halves, whole } from "./halves";
import { buffers, pack } from "./pack";
import type { Packed } from "./packed";

export interface Wanted {
  id: number;
  body: AnalyzeWrite;
  headers: Record<string, string>;
}

export type Got =
  | { id: number; kind: "analysis"; packed: Packed }
  /** The service refused; its message, if it sent one. */
  | { id: number; kind: "refused"; status: number; body: unknown }
  | { id: number; kind: "away" };

const hub = self as unknown as {
  onmessage: (event: MessageEvent<Wanted>) => void;
  postMessage: (got: Got, transfer?: Transferable[]) => void;
};

hub.onmessage = async ({ data: { id, body: inputs, headers } }) => {
  let response: Response;
  const found = halves(inputs.template);
  const body = found.length > 0 ? { ...inputs, template: whole(inputs.template) } : inputs;
  try {
    // The worker's script lies in `assets/`, the service above it.
    response = await fetch("../system-prompt/analyze", { method: "POST", headers, body: JSON.stringify(body) });
  } catch {
    return hub.postMessage({ id, kind: "away" });
  }
  try {
    if (!response.ok) {
      const problem: unknown = await response.json().catch(() => ({}));
      return hub.postMessage({ id, kind: "refused", status: response.status, body: problem });
    }
    const packed = pack((await response.json()) as Analysis, body.template);
    packed.notes.unshift(...found);
    return hub.postMessage({ id, kind: "analysis", packed }, buffers(packed));
  } catch {
    return hub.postMessage({ id, kind: "away" });
  }
};
