// The inputs of a prompt: request, variables, absent sections and diagnostics.
import type { ExplainReply } from "../api/types";
import { StabilityPill } from "../edit/about";
import { escaped, head, Shown } from "../shown";
import { MessageText } from "../message-text";
import { Notes } from "./notes";

/** The number of rows shown; the rest is summarized in one line. */
const MOST = 500;

export function BuiltFrom({ explained: { prompt, options, variables, document } }: { explained: ExplainReply }) {
  const notes = document.diagnostics;
  const pairs = wishes(options);
  // Without a requested preset, the service uses its own.
  if (options.preset !== prompt.preset) pairs.push(["Preset", prompt.preset]);
  pairs.push(["Fingerprint", prompt.fingerprint]);
  return (
    <div class="panel-body built" tabIndex={0} role="group" aria-label="Inputs">
      <section aria-labelledby="built-options">
        <h3 id="built-options">Request</h3>
        <dl class="pairs">
          {pairs.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <Shown text={value} most={400} class="mono" />
              </dd>
            </div>
          ))}
        </dl>
      </section>
      <section aria-labelledby="built-variables">
        <h3 id="built-variables">
          Variables <span class="badge">{variables.length}</span>
        </h3>
        <p class="soft small">Only digests of values are stored. Equal digests mean equal values.</p>
        <ul class="variable-list">
          {variables.slice(0, MOST).map(({ variable, exists, source, stability, digest }) => (
            <li key={variable}>
              <span class="variable-name">
                <Shown text={variable} most={120} class="mono" />
                {exists ? <StabilityPill stability={stability} /> : <span class="pill">not found</span>}
              </span>
              <span class="soft small">
                <Shown text={source} most={120} />
                {digest && (
                  <>
                    {" · "}
                    <span class="mono" title={digest}>
                      {digest.slice(0, 19)}…
                    </span>
                  </>
                )}
              </span>
            </li>
          ))}
          {variables.length > MOST && <li class="soft">and {variables.length - MOST} more</li>}
          {variables.length === 0 && <li class="soft">No variables used.</li>}
        </ul>
      </section>
      {document.absent.length > 0 && (
        <section aria-labelledby="built-absent">
          <h3 id="built-absent">
            Absent sections <span class="badge">{document.absent.length}</span>
          </h3>
          <dl class="pairs">
            {document.absent.map(({ section, why }) => (
              <div key={section}>
                <dt>
                  <Shown text={section} most={60} />
                </dt>
                <dd>
                  <MessageText text={escaped(head(why, 300))} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
      )}
      <section aria-labelledby="built-notes">
        <h3 id="built-notes">
          Diagnostics <span class="badge">{notes.length}</span>
        </h3>
        {notes.length === 0 ? <p class="soft">No diagnostics.</p> : <Notes notes={notes} />}
      </section>
    </div>
  );
}

/** Returns the fields that the request set. */
function wishes(options: ExplainReply["options"]): [string, string][] {
  const { directory, model, preset, profile, template, budget, tokenizer, time_zone: zone, tools, settings, variables } = options;
  const all: [string, string | null | undefined][] = [
    ["Directory", directory],
    ["Model", model],
    ["Template", template],
    ["Preset", preset],
    ["Profile", profile],
    ["Budget", budget?.toString()],
    ["Tokenizer", tokenizer],
    ["Time zone", zone],
    ["Tools", tools?.map((tool) => (typeof tool === "string" ? tool : `${tool.name} (defined)`)).join(", ")],
    ["Settings", Object.entries(settings ?? {}).map(([path, value]) => `${path}=${String(value)}`).join(", ")],
    ["Variables", Object.entries(variables ?? {}).map(([key, value]) => (value === null ? `${key} (absent)` : `${key}=${value}`)).join(", ")],
  ];
  return all.filter((pair): pair is [string, string] => typeof pair[1] === "string" && pair[1] !== "");
}
