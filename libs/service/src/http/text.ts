import { ValidationFailed } from '../errors/service-error.js';

const message = 'must not hold a NUL character or half of a surrogate pair';

/** Matches only a surrogate without its other half: with the flag u, pairs count as one character. */
const unstorable = /\0|\p{Surrogate}/u;

/**
 * JSON escapes of a NUL and of surrogates. A match may also be an escaped backslash with these characters behind it, or
 * half of a complete pair, so the parsed values are checked after it.
 */
const suspicious = /\\u(0000|d[89a-f])/i;

const fieldOf = (value: unknown, path: string): string | undefined => {
  if (typeof value === 'string') return unstorable.test(value) ? path : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    if (unstorable.test(key)) return path;
    const found = fieldOf(inner, path === 'body' ? key : `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
};

/**
 * Throws ValidationFailed naming the field whose text PostgreSQL cannot store. `text`: the JSON from which `value` was
 * parsed.
 */
export const refuseUnstorableText = (text: string, value: unknown): void => {
  if (!suspicious.test(text) && !text.includes('\0')) return;
  const name = fieldOf(value, 'body');
  if (name !== undefined) throw new ValidationFailed([{ name, message }]);
};

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The text of a body. Throws ValidationFailed for one that is not UTF-8: it would be stored with replaced characters. */
export const bodyText = (body: Uint8Array): string => {
  try {
    return utf8.decode(body);
  } catch {
    throw new ValidationFailed(
      [{ name: 'body', message: 'must be UTF-8' }],
      'The body is not UTF-8.',
      'MALFORMED_JSON_CONTENT',
    );
  }
};

/** Whether percent-encoded text decodes to UTF-8. A percent sign that begins no code is left as it is. */
export const decodesToUtf8 = (text: string): boolean => {
  if (!/%[89a-f]/i.test(text)) return true;
  try {
    decodeURIComponent(text.replace(/%(?![0-9a-f]{2})/gi, '%25'));
    return true;
  } catch {
    return false;
  }
};

const wrongUrl = (message: string): ValidationFailed => new ValidationFailed([{ name: 'url', message }]);

/**
 * The problem of a URL with a NUL or invalid UTF-8, which no path and no filter contains. parseListQuery checks the contents of
 * packed filters.
 */
export const unreadableIn = (url: string): ValidationFailed | undefined => {
  if (url.includes('%00')) return wrongUrl('must not hold a NUL character');
  return decodesToUtf8(url) ? undefined : wrongUrl('must be percent-encoded UTF-8');
};
