import { Malformed } from '../errors.js';

/** An element of an XML document. Only the XML that object definitions use is supported. */
export interface XmlElement {
  name: string;
  attributes: ReadonlyMap<string, string>;
  children: XmlElement[];
  /** The text of the element itself, trimmed. */
  text: string;
}

const depthMax = 12;
const elementsMax = 20_000;

const broken = (problem: string): Malformed => new Malformed('xml', problem);

const entities = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** What XML 1.0 §2.2 does not allow, such as NUL and half of a surrogate pair, which PostgreSQL does not store. */
const invalidCharacter = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;

const codePoint = (text: string, radix: number): string => {
  const code = Number.parseInt(text, radix);
  if (code > 0x10_ffff || invalidCharacter.test(String.fromCodePoint(code))) throw broken(`&#${text}; is no character`);
  return String.fromCodePoint(code);
};

const unescaped = (text: string): string =>
  text.replace(/&(#x[0-9a-fA-F]{1,6}|#[0-9]{1,7}|[a-z]{1,8})?;?/g, (whole, name: string | undefined) => {
    if (name === undefined || !whole.endsWith(';')) throw broken('an & that begins no entity');
    if (name.startsWith('#x')) return codePoint(name.slice(2), 16);
    if (name.startsWith('#')) return codePoint(name.slice(1), 10);
    const known = entities.get(name);
    if (known === undefined) throw broken(`&${name}; is not known`);
    return known;
  });

const tagPattern = /^([A-Za-z_][\w.:-]{0,127})((?:\s+[A-Za-z_][\w.:-]{0,127}\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)$/;
const attributePattern = /([A-Za-z_][\w.:-]*)\s*=\s*("[^"]*"|'[^']*')/g;

const attributesOf = (text: string): Map<string, string> =>
  new Map(
    [...text.matchAll(attributePattern)].map(([, name = '', quoted = '']) => [name, unescaped(quoted.slice(1, -1))]),
  );

class Reader {
  private at = 0;
  private elements = 0;
  private readonly open: { element: XmlElement; texts: string[] }[] = [];
  private root: XmlElement | undefined;

  constructor(private readonly source: string) {}

  read(): XmlElement {
    while (this.at < this.source.length) this.next();
    if (this.open.length > 0 || !this.root) throw broken('cut off');
    return this.root;
  }

  private next(): void {
    const { source, at } = this;
    if (source[at] !== '<') return this.text(this.upTo('<', at, true));
    if (source.startsWith('<!--', at)) return void this.skip('-->');
    if (source.startsWith('<?', at)) return void this.skip('?>');
    if (source.startsWith('<![CDATA[', at)) return this.add(this.skip(']]>').slice('<![CDATA['.length));
    // A document type could define entities that expand without limit, or refer to files.
    if (source.startsWith('<!', at)) throw broken('declarations are not taken');
    this.tag(this.skip('>').slice(1));
  }

  /** The text up to the end mark, which is consumed. */
  private skip(end: string): string {
    const text = this.upTo(end, this.at, false);
    this.at += end.length;
    return text;
  }

  private upTo(mark: string, from: number, orEnd: boolean): string {
    const found = this.source.indexOf(mark, from);
    if (found < 0 && !orEnd) throw broken('cut off');
    this.at = found < 0 ? this.source.length : found;
    return this.source.slice(from, this.at);
  }

  private text(text: string): void {
    if (this.open.length === 0 && text.trim() !== '') throw broken('text outside of the document');
    this.add(unescaped(text));
  }

  private add(text: string): void {
    this.open.at(-1)?.texts.push(text);
  }

  private tag(inside: string): void {
    if (inside.startsWith('/')) return this.close(inside.slice(1).trimEnd());
    const match = tagPattern.exec(inside);
    if (!match) throw broken(`<${inside.slice(0, 40)}> is no tag`);
    const [, name = '', attributes = '', empty = ''] = match;
    const element: XmlElement = { name, attributes: attributesOf(attributes), children: [], text: '' };
    if (++this.elements > elementsMax || this.open.length >= depthMax) throw broken('too many elements');
    const parent = this.open.at(-1);
    if (parent) parent.element.children.push(element);
    else if (this.root) throw broken('a second document');
    else this.root = element;
    if (empty === '') this.open.push({ element, texts: [] });
  }

  private close(name: string): void {
    const last = this.open.pop();
    if (last?.element.name !== name) throw broken(`</${name.slice(0, 40)}> closes nothing`);
    last.element.text = last.texts.join('').trim();
  }
}

/** Throws Malformed. Document types are refused, so the only entities are the five that XML predefines. */
export const parseXml = (source: string): XmlElement => {
  if (invalidCharacter.test(source)) throw broken('a character that XML does not allow');
  return new Reader(source.replace(/^\uFEFF/, '')).read();
};
