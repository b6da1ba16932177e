// Names of templates.

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export const isName = (name: string): boolean => NAME.test(name);

/** The rule, shown for an invalid name. */
export const NAME_RULE = "A name has up to 64 letters, digits, “-”, “_” or “.”, and starts with a letter or digit.";
