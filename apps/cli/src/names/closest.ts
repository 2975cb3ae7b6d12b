import { closest as nearest, distance } from 'fastest-levenshtein';

/** A name that the user may have meant, if there is one. */
export const closest = (text: string, names: readonly string[]): string | undefined => {
  if (names.length === 0) return undefined;
  const found = nearest(text, names as string[]);
  const isNear = distance(text.toLowerCase(), found.toLowerCase()) <= Math.max(1, Math.floor(text.length / 3));
  return isNear ? found : undefined;
};
