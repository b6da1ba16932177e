// Shown if the address contains an invalid template name.
import { NAME_RULE } from "./edit/name";
import { href, type Screen } from "./route";
import { escaped, head } from "./shown";

const MOST = 60;

export function NoTemplate({ screen, name }: { screen: Screen; name: string }) {
  return (
    <section class="panel" aria-labelledby="no-template">
      <div class="empty">
        <h1 id="no-template">Invalid template name</h1>
        <p>
          The address contains <bdi class="mono shown">{escaped(head(name, MOST))}</bdi>
          {name.length > MOST && "…"}. {NAME_RULE}
        </p>
        <a class="button" href={href(screen, "main")}>
          Open main
        </a>
      </div>
    </section>
  );
}
