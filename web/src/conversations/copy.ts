// Puts a text on the clipboard, and says so.
import { say } from "../ui/toast";

export function copy(text: string, words: string): void {
  // A page that came over plain HTTP from elsewhere has no clipboard.
  const done = navigator.clipboard ? navigator.clipboard.writeText(text) : Promise.reject(new Error("no clipboard"));
  done.then(
    () => say(words, "good"),
    () => say("This browser does not let the page copy. Select the text instead.", "bad"),
  );
}
