// The page of keyboard shortcuts: the actions that have keys.
import { keysShown } from "../keys";
import { Dialog } from "../ui/dialog";
import { GROUPS } from "./actions";

export function KeysDialog() {
  return (
    <Dialog title="Keyboard shortcuts" size="medium" onClose={() => (keysShown.value = false)}>
      <div class="keys" tabIndex={0} role="group" aria-label="Keys">
        {GROUPS.map(({ title, actions }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {actions.map(({ keys, what }) => keys && (
                <div key={what}>
                  <dt>
                    {keys.map((key) => (
                      <kbd key={key}>{key}</kbd>
                    ))}
                  </dt>
                  <dd>{what}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
