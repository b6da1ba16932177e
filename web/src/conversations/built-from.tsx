// What a prompt was built from: what was asked, which variables were looked up, what was left out, what came up.
import type { ExplainReply } from "../api/types";
import { StabilityPill } from "../edit/about";
import { escaped, head, Shown } from "../shown";
import { Spoken } from "../spoken";
import { Notes } from "./notes";

/** More rows than this are told of in a line. */
const MOST = 500;

export function BuiltFrom({ explained: { prompt, asked, variables, document } }: { explained: ExplainReply }) {
  const notes = document.diagnostics;
  const pairs = wishes(asked);
  // Where nobody chose one, it is the service's own.
  if (asked.preset !== prompt.preset) pairs.push(["Preset", prompt.preset]);
  pairs.push(["Fingerprint", prompt.fingerprint]);
  return (
    <div class="panel-body built" tabIndex={0} role="group" aria-label="Built from">
      <section aria-labelledby="built-asked">
        <h3 id="built-asked">Asked for</h3>
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
          Looked up <span class="badge">{variables.length}</span>
        </h3>
        <p class="soft small">Values are not kept, only their digests: two prompts with the same digest had the same value.</p>
        <ul class="variable-list">
          {variables.slice(0, MOST).map(({ variable, exists, source, stability, digest }) => (
            <li key={variable}>
              <span class="variable-name">
                <Shown text={variable} most={120} class="mono" />
                {exists ? <StabilityPill stability={stability} /> : <span class="pill">is not there</span>}
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
          {variables.length === 0 && <li class="soft">Nothing: the text needs no values.</li>}
        </ul>
      </section>
      {document.absent.length > 0 && (
        <section aria-labelledby="built-absent">
          <h3 id="built-absent">
            Not in the prompt <span class="badge">{document.absent.length}</span>
          </h3>
          <dl class="pairs">
            {document.absent.map(({ section, why }) => (
              <div key={section}>
                <dt>
                  <Shown text={section} most={60} />
                </dt>
                <dd>
                  <Spoken text={escaped(head(why, 300))} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
      )}
      <section aria-labelledby="built-notes">
        <h3 id="built-notes">
          Notes <span class="badge">{notes.length}</span>
        </h3>
        {notes.length === 0 ? <p class="soft">Nothing came up.</p> : <Notes notes={notes} />}
      </section>
    </div>
  );
}

/** Everything that was asked for, and only that. */
function wishes(asked: ExplainReply["asked"]): [string, string][] {
  const { cwd, model, preset, profile, template, budget, counter, zone, tools, given_tools: given, sets, variables } = asked;
  const all: [string, string | null | undefined][] = [
    ["Directory", cwd],
    ["Model", model],
    ["Template", template],
    ["Preset", preset],
    ["Profile", profile],
    ["Budget", budget?.toString()],
    ["Counter", counter],
    ["Time zone", zone],
    ["Tools", tools?.join(", ")],
    ["Tools with texts", given?.length.toString()],
    ["Settings", sets?.join(", ")],
    ["Variables", Object.entries(variables ?? {}).map(([key, value]) => (value === null ? `without ${key}` : `${key}=${value}`)).join(", ")],
  ];
  return all.filter((pair): pair is [string, string] => typeof pair[1] === "string" && pair[1] !== "");
}
