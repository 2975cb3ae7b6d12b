import { ValidationFailed } from '../errors/service-error.js';

const message = 'must not hold a NUL character or half of a surrogate pair';

/** A half is one that has no other half beside it: with the flag u, pairs count as one character. */
const unstorable = /\0|\p{Surrogate}/u;

/** How JSON spells them; a hit may be an escaped backslash, so the values decide. */
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

/** Throws ValidationFailed naming the field whose text PostgreSQL cannot store. `text`: the JSON that `value` was. */
export const refuseUnstorableText = (text: string, value: unknown): void => {
  if (!suspicious.test(text) && !text.includes('\0')) return;
  const name = fieldOf(value, 'body');
  if (name !== undefined) throw new ValidationFailed([{ name, message }]);
};

/** What is wrong with a URL that has a NUL: no path and no filter has one. Of packed filters, parseListQuery looks inside. */
export const nulIn = (url: string): ValidationFailed | undefined =>
  url.includes('%00') ? new ValidationFailed([{ name: 'url', message: 'must not hold a NUL character' }]) : undefined;
