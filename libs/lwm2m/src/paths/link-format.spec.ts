import { describe, expect, it } from '@jest/globals';
import { seeded } from '../../test/seeded.js';
import { Malformed } from '../errors.js';
import { linkLimits, parseLinks, type ResourceLink } from './link-format.js';
import { cpuMs } from '../../test/cpu-time.js';

const paths = (text: string): string[] => parseLinks(text).links.map(({ path }) => path);

describe('parseLinks', () => {
  it('reads the registration of LwM2M 1.1 core §6.2.1', () => {
    const text = '</>;ct=110, </1/0>,</1/1>,</2/0>,</2/1>,</2/2>,</2/3>,</2/4>,</3/0>,</4/0>,</5>';
    expect(parseLinks(text)).toMatchObject({ rootPath: '', rootContentFormats: [110] });
    expect(paths(text)).toEqual(['/1/0', '/1/1', '/2/0', '/2/1', '/2/2', '/2/3', '/2/4', '/3/0', '/4/0', '/5']);
  });

  it('takes an alternate root off the paths and leaves out what is beside it', () => {
    const text = '</lwm2m>;rt="oma.lwm2m";ct="60 110 112",</lwm2m/1/0>,</lwm2m/3/0/>,</1/1>,</lwm2mx/5>';
    expect(parseLinks(text)).toMatchObject({ rootPath: '/lwm2m', rootContentFormats: [60, 110, 112] });
    expect(paths(text)).toEqual(['/1/0', '/3/0']);
  });

  it('finds the root by one of several types, and with a slash at its end', () => {
    expect(parseLinks('</a/b/>;rt="core.rd oma.lwm2m",</a/b/3>')).toMatchObject({ rootPath: '/a/b' });
    expect(parseLinks('</>;rt="oma.lwm2m",</3>')).toMatchObject({ rootPath: '', links: [{ path: '/3' }] });
    expect(parseLinks('</1/0>;rt="oma.lwm2m",</3/0>;rt="oma.lwm2m"')).toMatchObject({
      rootPath: '',
      links: [{ path: '/1/0' }, { path: '/3/0' }],
    });
  });

  it('reads the attributes of a Discover answer', () => {
    const { links } = parseLinks(
      '</3/0>;pmin=10;pmax=60,</3/0/7>;dim=8;gt=50;lt=42.2,</5>;ver="1.1",</5/0>;ver=1.1;obs;rt="a b";if=sensor;ct=0',
    );
    expect(links).toEqual([
      { path: '/3/0', attributes: { pmin: '10', pmax: '60' } },
      { path: '/3/0/7', attributes: { dim: '8', gt: '50', lt: '42.2' } },
      { path: '/5', attributes: { ver: '1.1' } },
      { path: '/5/0', rt: 'a b', if: 'sensor', ct: [0], obs: true, attributes: { ver: '1.1' } },
    ]);
  });

  it('reads quoted values with separators, escapes and blanks around them', () => {
    const { links } = parseLinks(' </3/0> ; a = "x,y;z<\\"\\\\>" ; flag , </4> ');
    expect(links).toEqual([
      { path: '/3/0', attributes: { a: 'x,y;z<"\\>', flag: true } },
      { path: '/4', attributes: {} },
    ]);
  });

  it('keeps links to paths only: the list of RFC 6690 §5 has none', () => {
    expect(
      parseLinks(
        '</sensors>;ct=40;title="Sensor Index",</sensors/temp>;rt="temperature-c";if="sensor",' +
          '<http://www.example.com/sensors/t123>;anchor="/sensors/temp";rel="describedby",</t>;anchor="/sensors/temp"',
      ),
    ).toEqual({
      rootPath: '',
      rootContentFormats: [],
      links: [],
      leftOut: ['/sensors', '/sensors/temp', 'http://www.example.com/sensors/t123', '/t'],
    });
    expect(paths('</65535>,</03>,</3/0/1/2/3>,</3/a>,</3/0>')).toEqual(['/3/0']);
  });

  it('treats names of Object.prototype as attributes like others', () => {
    const [link] = parseLinks('</3>;__proto__=1;constructor=2').links;
    expect(Object.entries(link?.attributes ?? {})).toEqual([
      ['__proto__', '1'],
      ['constructor', '2'],
    ]);
    expect(({} as Record<string, unknown>)['1']).toBeUndefined();
  });

  it.each([
    ['a list without links', '', 0],
    ['blanks', ' \n ', 0],
  ])('reads %s', (_name, text, count) => {
    expect(parseLinks(text).links).toHaveLength(count);
  });

  it.each([
    ['a target that does not start', '/3/0>'],
    ['a target that does not end', '</3/0'],
    ['no separator', '</3/0></4>'],
    ['nothing behind a comma', '</3/0>,'],
    ['two commas', '</3/0>,,</4>'],
    ['an attribute without a name', '</3/0>;=1'],
    ['a semicolon at the end', '</3/0>;'],
    ['a quote that does not end', '</3/0>;a="x'],
    ['a quote that ends in an escape', '</3/0>;a="x\\'],
    ['text behind a quote', '</3/0>;a="x"y'],
    ['a ct that is no number', '</3/0>;ct=json'],
    ['a ct above 65535', '</>;ct=65536'],
    ['a root that is no path', '<coap://a>;rt="oma.lwm2m"'],
  ])('refuses %s', (_name, text) => {
    expect(() => parseLinks(text)).toThrow(Malformed);
  });

  it('refuses more links or bytes than its limits', () => {
    const links = (count: number): string => Array.from({ length: count }, (_, i) => `</3/${i}>`).join(',');
    expect(parseLinks(links(linkLimits.links)).links).toHaveLength(linkLimits.links);
    expect(() => parseLinks(links(linkLimits.links + 1))).toThrow(/more than 5000 links/);
    expect(() => parseLinks(`</3>;a="${'ä'.repeat(linkLimits.bytes / 2)}"`)).toThrow(/longer than 262144 bytes/);
    const root = (target: string) => () => parseLinks(`<${target}>;rt="oma.lwm2m"`).rootPath;
    expect(root('/a'.repeat(8))()).toBe('/a'.repeat(8));
    for (const long of ['/a'.repeat(9), `/${'a'.repeat(255)}`]) expect(root(long)).toThrow(/the root has more than/);
  });

  it.each<[string, (n: number) => string]>([
    ['slashes', (n) => `<${'/'.repeat(n)}x>`],
    ['slashes in the root', (n) => `<${'/'.repeat(n)}x>;rt="oma.lwm2m"`],
    ['blanks', (n) => `</3>${' '.repeat(n)}x`],
    ['quotes', (n) => `</3>;a="${'\\"'.repeat(n / 2)}`],
    ['attributes', (n) => `</3>${';a'.repeat(n / 2)}"`],
    ['open targets', (n) => '<'.repeat(n)],
  ])('needs linear time for %s', (_name, text) => {
    const startedMs = cpuMs();
    try {
      parseLinks(text(120_000));
    } catch (error) {
      expect(error).toBeInstanceOf(Malformed);
    }
    expect(cpuMs() - startedMs).toBeLessThan(3_000);
  });
});

const formatAttribute = ([name, value]: [string, string | number[] | boolean | undefined]): string => {
  if (value === true) return `;${name}`;
  if (Array.isArray(value)) return value.length === 1 ? `;${name}=${value[0]}` : `;${name}="${value.join(' ')}"`;
  return /^[\d.+-]+$/.test(String(value))
    ? `;${name}=${String(value)}`
    : `;${name}="${String(value).replace(/["\\]/g, '\\$&')}"`;
};

/** The reverse of parseLinks. */
const formatLinks = (links: readonly Partial<ResourceLink>[]): string =>
  links
    .map(({ path = '/', attributes = {}, ...named }) => {
      const all = Object.entries({ ...named, ...attributes }).filter(
        ([, value]) => value !== undefined && value !== false,
      );
      return `<${path}>${all.map(formatAttribute).join('')}`;
    })
    .join(',');

describe('formatLinks', () => {
  it('quotes what is no number', () => {
    expect(
      formatLinks([
        { path: '/', rt: 'oma.lwm2m', ct: [110, 112] },
        { path: '/3/0', ct: [0], obs: true, attributes: { ver: '1.1', title: 'a "b"', flag: true } },
      ]),
    ).toBe('</>;rt="oma.lwm2m";ct="110 112",</3/0>;ct=0;obs;ver=1.1;title="a \\"b\\"";flag');
  });

  it('is undone by parseLinks for 1,000 random lists', () => {
    const random = seeded(6_690);
    const anyLink = (): ResourceLink => ({
      path: Array.from({ length: 1 + random.below(4) }, () => `/${random.below(65_535)}`).join(''),
      ...(random.chance(0.3) && { rt: random.text(12) }),
      ...(random.chance(0.3) && { if: random.text(12) }),
      ...(random.chance(0.3) && { ct: Array.from({ length: random.below(4) }, () => random.below(65_536)) }),
      ...(random.chance(0.3) && { obs: true }),
      attributes: Object.fromEntries(
        Array.from({ length: random.below(4) }, () => [
          random.pick(['ver', 'pmin', 'gt', 'dim', 'title', 'x-y']),
          random.chance(0.2) ? true : random.chance(0.4) ? String(random.below(1_000) / 10) : random.text(12),
        ]),
      ),
    });
    for (let run = 0; run < 1_000; run++) {
      const links = Array.from({ length: random.below(6) }, anyLink);
      expect(parseLinks(formatLinks(links)).links).toEqual(links);
    }
  });
});

describe('60,000 hostile link lists', () => {
  it('are read or refused as malformed', () => {
    const random = seeded(40);
    const good = Buffer.from(
      '</lwm2m>;rt="oma.lwm2m";ct="60 110",</lwm2m/3/0>;ver=1.1;a="x\\"y",</lwm2m/3/0/1>;pmin=1;obs',
    );
    const pieces = [
      '<',
      '>',
      '</3/0>',
      ';',
      ',',
      '=',
      '"',
      '\\',
      ' ',
      'ct',
      'rt="oma.lwm2m"',
      '1',
      '//',
      '\u0000',
      'ä',
    ];
    const mutated = (): string => {
      const bytes = Buffer.from(good);
      for (let change = random.below(4); change >= 0; change--) bytes[random.below(bytes.length)] = random.below(256);
      return bytes.toString('latin1');
    };
    let read = 0;
    for (let run = 0; run < 60_000; run++) {
      const text =
        run < good.length
          ? good.toString('utf8').slice(0, run)
          : random.chance(0.5)
            ? mutated()
            : Array.from({ length: random.below(14) }, () => random.pick(pieces)).join('');
      try {
        parseLinks(text);
        read += 1;
      } catch (error) {
        if (!(error instanceof Malformed)) throw error;
        if (error.message.length > 200) throw new Error('a message carries the payload', { cause: error });
      }
    }
    expect(read).toBeGreaterThan(5_000);
  });
});
