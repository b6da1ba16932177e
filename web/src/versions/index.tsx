// The versions screen, loaded when it is first opened.
import type { Route } from "../route";

export default function Versions({ route }: { route: Route }) {
  return (
    <section class="panel" aria-labelledby="versions-title">
      <div class="panel-head">
        <h1 id="versions-title">Versions</h1>
      </div>
      <div class="empty">
        <p>{route.name}</p>
      </div>
    </section>
  );
}
