import { ValidationFailed } from '../errors/service-error.js';

/** RFC 9112 §3.2.2; user information has no place in it (RFC 9110 §4.2.4). */
const schemeAndAuthority = /^https?:\/\/[^/?#@]+(?=[/?#]|$)/i;

/** A target in absolute form, as clients send it to proxies, names the same resource as its path and query alone. */
export const originForm = (target: string): string => {
  const [prefix = ''] = schemeAndAuthority.exec(target) ?? [];
  const rest = target.slice(prefix.length);
  return prefix === '' || rest.startsWith('/') ? rest : `/${rest}`;
};

/** RFC 3986 §3.3: characters of a path; `;` begins parameters, which no route has. */
const pathText = /^\/[\w\-.~!$&'()*+,=:@/%]*$/;

/**
 * Percent-encoded characters that stand for themselves (RFC 3986 §2.3), that would separate segments or end the path once
 * they are decoded, that would be decoded twice, or that are control characters.
 */
const ambiguous = /%(?:2[DEdeFf5]|3[0-9BbFf]|[46][1-9A-Fa-f]|[57][0-9Aa]|5[CcFf]|7[EeFf]|23|[01][0-9A-Fa-f])/;

const dotSegment = /\/\.{1,2}(?:\/|$)/;

/**
 * What is wrong with a request target that two readers could take for different paths. What is left has one spelling of
 * each static segment, so a permission that is decided by the path is decided for the route that is called.
 */
export const notNormal = (target: string): ValidationFailed | undefined => {
  const path = originForm(target).split('?', 1)[0] as string;
  const isNormal = pathText.test(path) && !ambiguous.test(path) && !dotSegment.test(path) && !target.includes('#');
  return isNormal ? undefined : new ValidationFailed([{ name: 'url', message: 'must hold a path in normal form' }]);
};
