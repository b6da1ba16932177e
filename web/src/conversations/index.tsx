// The conversations screen, loaded when it is first opened.
import type { Route } from "../route";

export default function Conversations({ route }: { route: Route }) {
  return (
    <section class="panel" aria-labelledby="conversations-title">
      <div class="panel-head">
        <h1 id="conversations-title">Conversations</h1>
      </div>
      <div class="empty">
        <p>{route.name}</p>
      </div>
    </section>
  );
}
