// One analysis of a text, for a comparison. Texts that are being written go through the worker.
import { request } from "../../api/client";
import type { BuildOptions } from "../../api/types";
import { halves, whole } from "./halves";
import { pack } from "./pack";
import type { Packed } from "./packed";

export async function analyzed(text: string, options: BuildOptions, signal: AbortSignal): Promise<Packed> {
  const template = whole(text);
  const { data } = await request("post", "/system-prompt/analyze", { body: { template, options, language: {} }, signal });
  const packed = pack(data, template);
  packed.notes.unshift(...halves(text));
  return packed;
}
