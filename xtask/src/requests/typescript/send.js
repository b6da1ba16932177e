// Sends bodies with the SDKs for TypeScript: a line of stdin is `{service, address, body, model}`, a line of stdout the messages that the
// SDK returns, or the blocks of the one message.
import Anthropic from "@anthropic-ai/sdk";
import { BedrockRuntimeClient, ConverseCommand } from "@aws-sdk/client-bedrock-runtime";
import { GoogleGenAI } from "@google/genai";
import { NodeHttpHandler } from "@smithy/node-http-handler";
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

  async "bedrock-converse"(address, body, model) {
    const credentials = { accessKeyId: "none", secretAccessKey: "none" };
    // By default it sends HTTP/2, which the endpoint does not read.
    const requestHandler = new NodeHttpHandler();
    const client = new BedrockRuntimeClient({ region: "us-east-1", endpoint: address, credentials, maxAttempts: 3, requestHandler });
    const { output } = await client.send(new ConverseCommand({ modelId: model, ...sdkBytes(body) }));
    return output.message.content;
  },

  async gemini(address, body, model) {
    const httpOptions = { baseUrl: address, retryOptions: { attempts: 3, initialDelay: 0.01 } };
    const client = new GoogleGenAI({ apiKey: "none", httpOptions });
    const { contents, generationConfig, ...config } = body;
    const stream = await client.models.generateContentStream({ model, contents, config: { ...config, ...generationConfig } });
    const parts = [];
    for await (const chunk of stream) parts.push(...chunk.candidates[0].content.parts);
    return parts;
  },
};

// Decodes the base64 of a body: the SDK of AWS takes bytes.
function sdkBytes(node) {
  if (Array.isArray(node)) return node.map(sdkBytes);
  if (typeof node !== "object" || node === null) return node;
  const read = ([key, value]) =>
    (key === "bytes" || key === "redactedContent") && typeof value === "string"
      ? [key, Buffer.from(value, "base64")]
      : [key, sdkBytes(value)];
  return Object.fromEntries(Object.entries(node).map(read));
}

for await (const line of createInterface({ input: process.stdin })) {
  const { service, address, body, model } = JSON.parse(line);
  try {
    console.log(JSON.stringify({ messages: await senders[service](address, body, model) }));
  } catch (error) {
    console.log(JSON.stringify({ error: String(error) }));
  }
}
