import { Malformed } from '../errors.js';
import { isPath } from './path.js';

/** One link of a registration or Discover answer (RFC 6690, LwM2M 1.1 core §7.4). */
export interface ResourceLink {
  /** Below the root path, for example `/3303/0`. */
  path: string;
  rt?: string;
  if?: string;
  /** Content formats, in the order given. */
  ct?: number[];
  obs?: boolean;
  /** Everything else: ver, pmin, pmax, gt, lt, st, dim, ssid, … A flag has the value `true`. */
  attributes: Record<string, string | true>;
}

export interface LinkList {
  /** The alternate root (`rt="oma.lwm2m"` on a path other than `/`), or ''. */
  rootPath: string;
  /** Content formats that the root link names: those that the device supports beside the mandatory ones. */
  rootContentFormats: number[];
  links: ResourceLink[];
  /** Omitted targets: outside the root, or not LwM2M paths, such as those of devices behind a gateway (object 25). */
  leftOut: string[];
}

export const linkLimits = { links: 5_000, bytes: 256 * 1024, rootCharacters: 255, rootSegments: 8 } as const;

const rootType = 'oma.lwm2m';

const broken = (problem: string): Malformed => new Malformed('link-format', problem);

/** Cursor over the text of a link list. */
class Reader {
  private at = 0;

  constructor(private readonly text: string) {}

  get done(): boolean {
    return this.at >= this.text.length;
  }

  skipBlanks(): void {
    while (/\s/.test(this.text[this.at] ?? '')) this.at++;
  }

  takeCharacter(char: string): boolean {
    this.skipBlanks();
    if (this.text[this.at] !== char) return false;
    this.at++;
    return true;
  }

  until(char: string): string {
    const end = this.text.indexOf(char, this.at);
    if (end < 0) throw broken(`"${char}" is missing`);
    const part = this.text.slice(this.at, end);
    this.at = end + 1;
    return part;
  }

  match(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? '';
    this.at += found.length;
    return found;
  }

  quoted(): string {
    let value = '';
    for (;;) {
      const char = this.text[this.at++];
      if (char === undefined) throw broken('a quoted value does not end');
      if (char === '"') return value;
      value += char === '\\' ? (this.text[this.at++] ?? '') : char;
    }
  }
}

const parmName = /[\w!#$&+\-.^`|~*]+/y;
const bareValue = /[^\s,;"]*/y;

const readAttributes = (reader: Reader): Record<string, string | true> => {
  const attributes: Record<string, string | true> = Object.create(null) as Record<string, string | true>;
  while (reader.takeCharacter(';')) {
    reader.skipBlanks();
    const name = reader.match(parmName);
    if (!name) throw broken('an attribute has no name');
    attributes[name] = reader.takeCharacter('=')
      ? reader.takeCharacter('"')
        ? reader.quoted()
        : reader.match(bareValue)
      : true;
  }
  return attributes;
};

const contentFormats = (value: string | true | undefined): number[] => {
  if (value === undefined || value === true) return [];
  const numbers = value.split(/\s+/).filter((n) => n !== '');
  if (numbers.some((n) => !/^\d{1,5}$/.test(n) || Number(n) > 65_535))
    throw broken(`ct="${value.slice(0, 40)}" is no list of content formats`);
  return numbers.map(Number);
};

const readLinks = (text: string): { target: string; attributes: Record<string, string | true> }[] => {
  const reader = new Reader(text);
  const found: { target: string; attributes: Record<string, string | true> }[] = [];
  reader.skipBlanks();
  while (!reader.done) {
    if (!reader.takeCharacter('<')) throw broken('a link does not start with "<"');
    const target = reader.until('>');
    found.push({ target, attributes: readAttributes(reader) });
    if (found.length > linkLimits.links) throw broken(`more than ${linkLimits.links} links`);
    reader.skipBlanks();
    if (reader.done) break;
    if (!reader.takeCharacter(',')) throw broken('links are not separated by ","');
    reader.skipBlanks();
    if (reader.done) throw broken('a link is missing behind ","');
  }
  return found;
};

/** Some devices name the type on objects as well, but a root has no numeric segment (LwM2M 1.1 transport §6.4.1). */
const isRoot = ({ target, attributes }: { target: string; attributes: Record<string, string | true> }): boolean =>
  typeof attributes['rt'] === 'string' &&
  attributes['rt'].split(/\s+/).includes(rootType) &&
  !/\/\d+(?:\/|$)/.test(target);

/** Uses a loop: a pattern for slashes at the end takes quadratic time if there are many slashes elsewhere. */
const withoutSlashes = (target: string): string => {
  let end = target.length;
  while (target[end - 1] === '/') end--;
  return target.slice(0, end);
};

const rootOf = (target: string): string => {
  const root = withoutSlashes(target);
  if (root !== '' && !root.startsWith('/')) throw broken(`the root "${root.slice(0, 40)}" does not start with "/"`);
  const { rootCharacters, rootSegments } = linkLimits;
  if (root.length > rootCharacters || root.split('/').length - 1 > rootSegments)
    throw broken(`the root has more than ${rootCharacters} characters or ${rootSegments} segments`);
  return root;
};

const link = (
  target: string,
  { rt, if: iface, ct, obs, ...attributes }: Record<string, string | true>,
): ResourceLink => ({
  path: target,
  ...(typeof rt === 'string' && { rt }),
  ...(typeof iface === 'string' && { if: iface }),
  ...(ct !== undefined && { ct: contentFormats(ct) }),
  ...(obs !== undefined && { obs: true }),
  attributes: { ...attributes },
});

/**
 * Reads the link list of a registration or a Discover answer. Targets that are outside the root path or are no LwM2M path
 * are omitted and listed in `leftOut`. Throws Malformed.
 */
export const parseLinks = (text: string): LinkList => {
  if (Buffer.byteLength(text) > linkLimits.bytes) throw broken(`longer than ${linkLimits.bytes} bytes`);
  const found = readLinks(text);
  const root = found.find(isRoot) ?? found.find(({ target }) => target === '/');
  const rootPath = root ? rootOf(root.target) : '';
  const leftOut: string[] = [];
  const links = found.flatMap(({ target, attributes }) => {
    const path = target.startsWith(`${rootPath}/`) ? withoutSlashes(target.slice(rootPath.length)) : undefined;
    if (path !== undefined && isPath(path)) return [link(path, attributes)];
    if (withoutSlashes(target) !== rootPath) leftOut.push(target);
    return [];
  });
  return { rootPath, rootContentFormats: contentFormats(root?.attributes['ct']), links, leftOut };
};

/** The version of LwM2M that the root names (`</>;lwm2m=1.1`), for a list that `parseLinks` can read. */
export const rootVersion = (text: string): string | undefined => {
  for (const link of readLinks(text)) {
    const version = link.attributes['lwm2m'];
    const isOfRoot = isRoot(link) || withoutSlashes(link.target) === '';
    if (isOfRoot && typeof version === 'string') return /^\d\.\d/.exec(version)?.[0];
  }
  return undefined;
};
