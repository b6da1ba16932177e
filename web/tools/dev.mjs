// Serves the page freshly built and hands everything else to a running `preface` (`PREFACE_URL`), as if the page were its own.
import { randomBytes } from "node:crypto";
import { watch } from "node:fs";
import { readFile } from "node:fs/promises";
import http from "node:http";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { buildPage } from "./build.mjs";

const KINDS = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
};

/** The policy that the service sends with this page. */
export const policy = (nonce) =>
  `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; font-src 'self'; ` +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The policy of an asset. The worker that requests analyses lives under that of its own script, not under the page's. */
export const assetPolicy = "default-src 'none'; script-src 'self'; connect-src 'self'; frame-ancestors 'none'";

/** Starts it; returns its address and how to end it. `given` has the metadata that the page of a service without the editor lacks. */
export async function serve({ service, dist, port = 0, given = {} }) {
  const target = new URL(service);
  const server = http.createServer((request, response) => {
    const where = new URL(request.url, "http://page").pathname;
    const own = where === "/" || where.startsWith("/assets/");
    const reply = own ? page(where, target, dist, given, response) : proxy(request, response, target);
    Promise.resolve(reply).catch((error) => {
      response.writeHead(502, { "Content-Type": "text/plain" }).end(`${error.message}\n`);
    });
  });
  await new Promise((ready) => server.listen(port, "127.0.0.1", ready));
  const url = `http://127.0.0.1:${server.address().port}`;
  return {
    url,
    close: () => {
      server.closeAllConnections();
      return new Promise((done) => server.close(done));
    },
  };
}

async function page(where, target, dist, given, response) {
  const file = path.join(dist, where === "/" ? "index.html" : path.normalize(where));
  if (!file.startsWith(dist)) return void response.writeHead(404).end();
  let body;
  try {
    body = await readFile(file);
  } catch {
    return void response.writeHead(404).end();
  }
  const headers = {
    "Content-Type": KINDS[path.extname(file)] ?? "application/octet-stream",
    "Content-Security-Policy": assetPolicy,
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": where === "/" ? "no-store" : "public, max-age=31536000, immutable",
  };
  if (where === "/") {
    const nonce = randomBytes(16).toString("base64");
    headers["Content-Security-Policy"] = policy(nonce);
    const theirs = await (await fetch(target)).text().catch(() => "");
    const meta = (name) => new RegExp(`<meta name="preface-${name}" content="([^"]*)"`).exec(theirs)?.[1] ?? given[name] ?? "";
    body = body
      .toString()
      .replace("{{token}}", () => meta("token"))
      .replace("{{root}}", () => meta("root"))
      .replace("{{store}}", () => meta("store"))
      .replace("{{nonce}}", nonce);
  }
  response.writeHead(200, headers).end(body);
}

function proxy(request, response, target) {
  const headers = { ...request.headers, host: target.host };
  if (headers.origin) headers.origin = target.origin;
  const options = { hostname: target.hostname, port: target.port, path: request.url, method: request.method, headers };
  return new Promise((done) => {
    const onward = http.request(options, (theirs) => {
      response.writeHead(theirs.statusCode ?? 502, theirs.headers);
      theirs.pipe(response).on("close", done);
    });
    onward.on("error", () => {
      if (response.headersSent) response.destroy();
      else response.writeHead(502, { "Content-Type": "text/plain" }).end("the service is not responding\n");
      done();
    });
    response.on("close", () => onward.destroy());
    request.pipe(onward);
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const web = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
  const dist = path.join(web, "dist");
  await buildPage({ quiet: true });
  let timer;
  const again = () => {
    clearTimeout(timer);
    timer = setTimeout(() => buildPage({ quiet: true }).then(() => console.log("built"), () => {}), 80);
  };
  for (const watched of ["src", "index.html"]) watch(path.join(web, watched), { recursive: true }, again);
  const service = process.env.PREFACE_URL ?? "http://127.0.0.1:7677";
  const { url } = await serve({ service, dist, port: Number(process.env.PORT ?? 7688) });
  console.log(`${url} in front of ${service}`);
}
