// Copies a text to the clipboard and shows a message.
import { say } from "../ui/toast";

export function copy(text: string, words: string): void {
  // Browsers offer no clipboard to pages loaded over plain HTTP from another host.
  const done = navigator.clipboard ? navigator.clipboard.writeText(text) : Promise.reject(new Error("no clipboard"));
  done.then(
    () => say(words, "good"),
    () => say("The browser does not permit copying. Select the text and copy it manually.", "bad"),
  );
}
