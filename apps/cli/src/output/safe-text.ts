/** Keys and signing secrets, wherever they come from. */
const secrets = /\b(ak_[12][0-9a-f]{64}|ls_|whsec_)[0-9A-Za-z+/=_-]{8,}/g;

/** For errors and notes: a secret that was typed in the wrong place is not repeated. */
export const withoutSecrets = (text: string): string => text.replace(secrets, (_, start: string) => `${start}…`);

const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Text of devices and other users, for a terminal: what could move the cursor, change colours or reverse the
 * direction is shown as an escape.
 */
export const printable = (text: string): string =>
  text.replace(control, (c) => `\\u${(c.codePointAt(0) as number).toString(16).padStart(4, '0')}`);

/** The same for a cell or a line of its own. */
export const onOneLine = (text: string): string =>
  printable(text).replace(/[\n\t]/g, (c) => (c === '\n' ? '\\n' : '\\t'));
