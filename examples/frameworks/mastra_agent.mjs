// Mastra: `instructions` may be a function, so that each run has a new prompt.
import { createAnthropic } from "@ai-sdk/anthropic";
import { Agent } from "@mastra/core/agent";
import { Preface } from "preface";

const { DIRECTORY, ENDPOINT } = process.env;
const model = "claude-opus-5-5";

const engine = new Preface();
const anthropic = createAnthropic({ apiKey: "none", baseURL: ENDPOINT });
const agent = new Agent({
  id: "coder",
  name: "coder",
  model: anthropic(model),
  instructions: async () => (await engine.build({ cwd: DIRECTORY, model })).text,
});
const { text } = await agent.generate("Fix the tests.");
console.log(text);
