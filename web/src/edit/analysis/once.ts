// One analysis of a text, for a comparison. Texts that are being written go through the worker.
import { request } from "../../api/client";
import type { AnalyzeWrite } from "../../api/types";
import { halves, whole } from "./halves";
import { pack } from "./pack";
import type { Packed } from "./packed";

export type Inputs = Omit<AnalyzeWrite, "template" | "options">;

export async function analyzed(text: string, inputs: Inputs, signal: AbortSignal): Promise<Packed> {
  const template = whole(text);
  const { data } = await request("post", "/system-prompt/analyze", { body: { ...inputs, template, options: {} }, signal });
  const packed = pack(data, template);
  packed.notes.unshift(...halves(text));
  return packed;
}
