import { EtagDiffers } from '../errors/service-error.js';

const tags = (header: string): string[] =>
  header.split(',').map((tag) =>
    tag
      .trim()
      .replace(/^W\//, '')
      .replace(/^"(.*)"$/, '$1'),
  );

/** Throws EtagDiffers when the caller named other versions only (RFC 9110 §13.1.1). No header: any version. */
export const mustMatch = (ifMatch: string | undefined, etag: string): void => {
  if (ifMatch === undefined) return;
  const named = tags(ifMatch);
  if (!named.includes('*') && !named.includes(etag)) throw new EtagDiffers();
};
