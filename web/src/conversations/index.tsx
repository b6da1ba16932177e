// The conversations screen: the list, and the open conversation beside it.
import "../shell"; // Part of the first load already; the import keeps that in one chunk.
import { useEffect } from "preact/hooks";
import { narrow } from "../edit/layout";
import { go, href, type Route } from "../route";
import { Split } from "../ui/split";
import { Detail } from "./detail";
import { ConversationList } from "./list";
import { follow } from "./listing";

export default function Conversations({ route }: { route: Route }) {
  const open = route.name;
  useEffect(follow, []);
  const list = <ConversationList open={open} onOpen={(id) => go("conversations", id)} />;
  if (narrow.value && open === "") return list;
  if (narrow.value)
    return (
      <>
        <h1 class="sr">Conversations</h1>
        <p class="back">
          <a class="button quiet small" href={href("conversations")}>
            ‹ All conversations
          </a>
        </p>
        <Detail key={open} id={open} />
      </>
    );
  return (
    <Split
      name="conversations"
      panes={[
        { id: "pane-conversations", label: "Conversations", share: 0.3, least: 0.2, child: list },
        { id: "pane-conversation", label: "Conversation", share: 0.7, least: 0.4, child: open === "" ? <NoneOpen /> : <Detail key={open} id={open} /> },
      ]}
    />
  );
}

function NoneOpen() {
  return (
    <section class="panel" aria-label="Conversation">
      <p class="empty">Select a conversation to see its prompt and the origin of every byte.</p>
    </section>
  );
}
