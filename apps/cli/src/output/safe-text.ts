/** Keys and signing secrets in any text. */
const secrets = /\b(ak_[12][0-9a-f]{64}|ls_|whsec_)[0-9A-Za-z+/=_-]{8,}/g;

/** Removes secrets from errors and notes, in case one was typed in the wrong place. */
export const withoutSecrets = (text: string): string => text.replace(secrets, (_, start: string) => `${start}…`);

const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Text of devices and other users, made safe for a terminal: characters that could move the cursor, change colours or
 * reverse the direction are shown as escapes.
 */
export const printable = (text: string): string =>
  text.replace(control, (c) => `\\u${(c.codePointAt(0) as number).toString(16).padStart(4, '0')}`);

/** As `printable`, for a text that must stay on its line: line breaks and tabs are shown as escapes, too. */
export const onOneLine = (text: string): string =>
  printable(text).replace(/[\n\t]/g, (c) => (c === '\n' ? '\\n' : '\\t'));
