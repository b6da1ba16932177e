// A real `preface` of its own for each test file: a store, a root with some files, and the page in front of it.
import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import net from "node:net";
import os from "node:os";
import path from "node:path";

export interface Service {
  /** Where the page is. */
  page: string;
  /** Where the service itself is. */
  url: string;
  /** The directory that templates may read. */
  root: string;
  put: (name: string, template: string) => Promise<void>;
  get: (name: string) => Promise<string>;
  analyze: (template: string) => Promise<unknown>;
  /** Ends it and leaves the store; `start` begins again with the same. */
  stop: () => Promise<void>;
  start: () => Promise<void>;
  end: () => Promise<void>;
}

const WEB = process.cwd();
const binary = process.env.PREFACE_BIN ?? path.join(WEB, "../target/dist/preface");

export async function startService(): Promise<Service> {
  const home = await mkdtemp(path.join(os.tmpdir(), "preface-web-"));
  const root = path.join(home, "work");
  await mkdir(path.join(root, ".git/objects"), { recursive: true });
  await write(root, "AGENTS.md", "Use tabs.\n");
  await write(root, "docs/rules.md", "Be brief.\n");
  await branch(root, "main");
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess | null = null;

  const start = async () => {
    const store = `sqlite:${path.join(home, "store.db")}`;
    const env = { ...process.env, HOME: home, PREFACE_HOME: path.join(home, "preface") };
    child = spawn(binary, ["serve", "--listen", `127.0.0.1:${port}`, "--store", store, "--root", root], { env, stdio: "ignore" });
    const mine = child;
    let failed: Error | null = null;
    mine.once("error", (error) => (failed = error));
    const over = () => failed !== null || mine.exitCode !== null;
    await until(async () => over() || (await fetch(`${url}/readyz`)).ok, `${binary} does not respond`, 30_000);
    if (over()) throw failed ?? new Error(`${binary} ended with ${mine.exitCode} as it began`);
  };
  const stop = async () => {
    if (!child || child.exitCode !== null) return;
    const gone = new Promise((done) => child!.once("exit", done));
    child.kill("SIGTERM");
    await gone;
  };
  await start();

  let front: { url: string; close: () => Promise<void> } | null = null;
  if (process.env.PREFACE_PAGE === "dev") {
    const dev = "../tools/dev.mjs";
    const { serve } = (await import(dev)) as { serve: (options: object) => Promise<NonNullable<typeof front>> };
    front = await serve({ service: url, dist: path.join(WEB, "dist"), given: { root, store: randomBytes(8).toString("hex") } });
  }
  const request = async (method: string, where: string, body?: unknown) => {
    const response = await fetch(url + where, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
    });
    if (!response.ok) throw new Error(`${method} ${where}: ${response.status} ${await response.text()}`);
    return (await response.json()) as { template: string };
  };
  return {
    page: front?.url ?? url,
    url,
    root,
    put: async (name, template) => void (await request("PUT", `/templates/${name}`, { template })),
    get: async (name) => (await request("GET", name === "main" ? "/system-prompt" : `/templates/${name}`)).template,
    analyze: (template) => request("POST", "/system-prompt/analyze", { template, options: { directory: root } }),
    start,
    stop,
    end: async () => {
      await front?.close();
      await stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

export async function write(root: string, file: string, text: string): Promise<void> {
  await mkdir(path.dirname(path.join(root, file)), { recursive: true });
  await writeFile(path.join(root, file), text);
}

/** Puts the repository of a root on a branch, as git itself would have written it down. */
export async function branch(root: string, name: string): Promise<void> {
  await write(root, ".git/HEAD", `ref: refs/heads/${name}\n`);
  await write(root, `.git/refs/heads/${name}`, `${"1".repeat(40)}\n`);
}

export async function until(is: () => Promise<boolean>, otherwise: string, most = 15_000): Promise<void> {
  const end = Date.now() + most;
  while (Date.now() < end) {
    if (await is().catch(() => false)) return;
    await new Promise((done) => setTimeout(done, 40));
  }
  throw new Error(otherwise);
}

function freePort(): Promise<number> {
  return new Promise((done, failed) => {
    const server = net.createServer();
    server.on("error", failed);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => done(port));
    });
  });
}
