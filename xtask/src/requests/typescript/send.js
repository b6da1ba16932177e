// Sends bodies with the SDKs for TypeScript: a line of stdin is `{service, address, body}`, a line of stdout the messages that the SDK returns.
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { createInterface } from "node:readline";

const senders = {
  async anthropic(address, body) {
    const client = new Anthropic({ apiKey: "none", baseURL: address, maxRetries: 2 });
    const { content } = await client.messages.stream(body).finalMessage();
    return [{ role: "assistant", content }];
  },

  async "openai-responses"(address, body) {
    const client = new OpenAI({ apiKey: "none", baseURL: address, maxRetries: 2 });
    let output = [];
    for await (const event of await client.responses.create({ ...body, stream: true })) {
      if (event.type === "response.completed") output = event.response.output;
    }
    return output;
  },

  async "openai-chat"(address, body) {
    const client = new OpenAI({ apiKey: "none", baseURL: address, maxRetries: 2 });
    const completion = await client.chat.completions.stream(body).finalChatCompletion();
    return [completion.choices[0].message];
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { service, address, body } = JSON.parse(line);
  try {
    console.log(JSON.stringify({ messages: await senders[service](address, body) }));
  } catch (error) {
    console.log(JSON.stringify({ error: String(error) }));
  }
}
