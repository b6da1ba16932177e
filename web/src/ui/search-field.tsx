// A field to search in. Escape empties it, and a cross does the same.
import type { KeyboardEventHandler, Ref } from "preact";
import { Icon } from "./icon";

interface SearchFieldProps {
  label: string;
  value: string;
  onValue: (value: string) => void;
  /** Handles the keys of the list under it: arrows, Enter. */
  onKeyDown?: KeyboardEventHandler<HTMLInputElement>;
  placeholder?: string;
  field?: Ref<HTMLInputElement>;
}

export function SearchField({ label, value, onValue, onKeyDown, placeholder, field }: SearchFieldProps) {
  return (
    <div class="search-field">
      <Icon name="search" size={16} />
      <input
        ref={field ?? null}
        type="text"
        role="searchbox"
        aria-label={label}
        placeholder={placeholder ?? label}
        value={value}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => onValue(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape" && value !== "") {
            event.stopPropagation();
            onValue("");
          } else onKeyDown?.(event);
        }}
      />
      {value !== "" && (
        <button type="button" aria-label="Clear search" onClick={() => onValue("")}>
          <Icon name="close" size={14} />
        </button>
      )}
    </div>
  );
}
