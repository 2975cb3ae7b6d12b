/**
 * Control characters and halves of surrogate pairs. No endpoint name may have them, wherever it comes from: PostgreSQL refuses
 * some of them, and with them everything that is stored in the same statement.
 */
export const notInNames = /[\u0000-\u001f\u007f\p{Surrogate}]/u;

/** The text in a form that PostgreSQL can store: with U+FFFD in place of a NUL or half of a surrogate pair. */
export const storable = (text: string): string => Buffer.from(text.replaceAll('\0', '\ufffd')).toString();

/**
 * Whether a text has at most this many characters. A character is a code point of Unicode, as for the directory, and takes
 * one or two units of the string.
 */
export const hasAtMostCharacters = (text: string, max: number): boolean =>
  text.length <= max || (text.length <= 2 * max && [...text].length <= max);
