const hex = (letter: string): string => letter.charCodeAt(0).toString(16);

const encoded = (segment: string): string => `%${hex(segment.charAt(0))}${segment.slice(1)}`;

/** Variants of the last static segment, on which the permission often depends. */
const ofLast: ((segment: string) => string)[] = [
  (segment) => encoded(segment).replace('%', '%25'),
  (s) => s.toUpperCase(),
];

/** Variants of the slash before the last static segment. */
const separators = ['//', '/./', '/x/../', '/%2e/', '%2F', '\\', '/;x=1/'];

const endings = ['/', '/.', '#x', ';x=1', '%23', '%2f'];

/**
 * Spellings of a path that another parser might take for the same path. `template`: segments in braces are parameters,
 * which stay unchanged.
 */
export const spellingsOf = (template: string, path: string): string[] => {
  const [names, segments] = [template, path].map((text) => text.split('/').slice(1)) as [string[], string[]];
  const fixed = names.flatMap((name, n) => (name.startsWith('{') ? [] : [n]));
  const written = (at: number, write: (segment: string) => string): string =>
    `/${segments.map((segment, n) => (n === at ? write(segment) : segment)).join('/')}`;
  const last = fixed.at(-1) as number;
  const [before, after] = [segments.slice(0, last), segments.slice(last)].map((some) => some.join('/'));
  return [
    ...fixed.map((n) => written(n, encoded)),
    ...ofLast.map((write) => written(last, write)),
    ...separators.map((separator) => `/${before}${separator}${after}`),
    ...endings.map((ending) => path + ending),
    `/${path}`,
    `http://localhost${path}`,
  ];
};
