// Vercel AI SDK: the prompt as system messages, one for each block, with Anthropic's cache mark where a cache may end.
import { createAnthropic } from "@ai-sdk/anthropic";
import { generateText } from "ai";
import { Preface } from "preface";

const { DIRECTORY, ENDPOINT } = process.env;
const model = "claude-opus-5-5";

const prompt = await new Preface().build({ cwd: DIRECTORY, model });
const anthropic = createAnthropic({ apiKey: "none", baseURL: ENDPOINT });
const { text } = await generateText({
  model: anthropic(model),
  instructions: prompt.aiSdk("anthropic"),
  prompt: "Fix the tests.",
});
console.log(text);
