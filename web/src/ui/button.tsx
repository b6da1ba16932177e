// Buttons: the one that matters (`main`), ordinary ones, quiet ones, and those that take something away.
import type { ButtonHTMLAttributes, ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon";

export interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "icon" | "size"> {
  kind?: "plain" | "main" | "quiet" | "danger";
  small?: boolean;
  icon?: IconName;
  disabled?: boolean;
  children?: ComponentChildren;
}

export function Button({ kind = "plain", small, icon, children, class: name, ...rest }: ButtonProps) {
  const classes = ["button", kind, small && "small", name].filter(Boolean).join(" ");
  return (
    <button type="button" class={classes} {...rest}>
      {icon && <Icon name={icon} size={small ? 15 : 17} />}
      {children}
    </button>
  );
}

/** A button with a picture only. Its label is read out and shown on hovering. */
export function IconButton({ label, icon, class: name, ...rest }: Omit<ButtonProps, "children"> & { label: string; icon: IconName }) {
  return (
    <button type="button" class={name ? `icon-button ${String(name)}` : "icon-button"} aria-label={label} title={label} {...rest}>
      <Icon name={icon} />
    </button>
  );
}

/** A button that keeps the caret where it is: pressing it with a pointer takes no focus away from the text. */
export const keepsFocus = { onMouseDown: (event: Event) => event.preventDefault() };
