import type { X509Certificate } from 'node:crypto';
import { type EndpointNameSource, endpointNameMax } from '@lanyard/contracts';
import { hasAtMostCharacters, notInNames } from '@lanyard/lwm2m';

/** One name of a SubjectAltName as Node writes it: quoted as in JSON if it has a comma, a quotation mark or a control character. */
const alternativeName = /([^:,"]+):("(?:[^"\\]|\\.)*"|[^",]*)(?:, |$)/y;

const unquoted = (text: string): string => (text.startsWith('"') ? (JSON.parse(text) as string) : text);

/** Empty also when the text has an unexpected form: no name is better than a wrong one. */
const alternativeNames = (text: string, kind: 'URI' | 'DNS'): string[] => {
  const names: string[] = [];
  for (let at = 0; at < text.length;) {
    alternativeName.lastIndex = at;
    const [whole, of, name = ''] = alternativeName.exec(text) ?? [];
    if (whole === undefined) return [];
    if (of === kind) names.push(unquoted(name));
    at += whole.length;
  }
  return names;
};

/** Node escapes the values of a subject as RFC 2253 §2.4 does; two hex digits stand for a control character. */
const unescaped = (text: string): string =>
  text.replace(/\\([0-9A-F]{2}|.)/g, (_, code: string) =>
    code.length === 2 ? String.fromCharCode(Number.parseInt(code, 16)) : code,
  );

/** Node writes each part of a subject on a line of its own; those that form one part together are joined by ` + `. */
const commonNames = (subject: string): string[] =>
  subject.split(/\n| \+ /).flatMap((part) => (part.startsWith('CN=') ? [unescaped(part.slice(3))] : []));

/** Node returns no text for a subject without parts (RFC 5280 §4.1.2.6), nor for a certificate without alternative names. */
type Named = Partial<Pick<X509Certificate, 'subject' | 'subjectAltName'>>;

const namesFrom: Record<EndpointNameSource, (x509: Named) => string[]> = {
  common_name: ({ subject = '' }) => commonNames(subject),
  san_uri: ({ subjectAltName = '' }) => alternativeNames(subjectAltName, 'URI'),
  san_dns: ({ subjectAltName = '' }) => alternativeNames(subjectAltName, 'DNS'),
};

/** The endpoint name in a certificate; undefined when there is none, or more than one, or it is not a valid endpoint name. */
export const endpointNameIn = (x509: Named, source: EndpointNameSource): string | undefined => {
  const [name, ...others] = namesFrom[source](x509);
  const isName = name && others.length === 0 && hasAtMostCharacters(name, endpointNameMax) && !notInNames.test(name);
  return isName ? name : undefined;
};
