// The health screen, loaded when it is first opened.
import type { Route } from "../route";

export default function Health({ route }: { route: Route }) {
  return (
    <section class="panel" aria-labelledby="health-title">
      <div class="panel-head">
        <h1 id="health-title">Health</h1>
      </div>
      <div class="empty">
        <p>{route.name}</p>
      </div>
    </section>
  );
}
