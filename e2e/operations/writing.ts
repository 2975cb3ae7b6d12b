import { expect, it } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import { b64, cbor, type Conversation, lwm2mJson, opaque, senmlCbor, senmlJson, text, tlv } from './conversation.ts';
import { specimen } from './specimen.ts';

const hex = (digits: string): Buffer => Buffer.from(digits.replaceAll(' ', ''), 'hex');
const name = (path: string): string => Buffer.from(path).toString('hex');
const one = `${specimen}/1`;

/** Resource 1 with 4242, in each format. */
const integers: [string, string | Buffer][] = [
  [text, '4242'],
  [cbor, hex('19 1092')],
  [tlv, hex('c2 01 1092')],
  [senmlJson, JSON.stringify([{ n: one, v: 4242 }])],
  [senmlCbor, hex(`81 a2 00 6a ${name(one)} 02 19 1092`)],
  [lwm2mJson, JSON.stringify({ bn: one, e: [{ v: 4242 }] })],
];

/** Resource 0 with "one" and resource 1 with 4242, in each format for several. */
const instances: [string, string | Buffer][] = [
  [tlv, hex(`c3 00 ${name('one')} c2 01 1092`)],
  [
    senmlJson,
    JSON.stringify([
      { bn: `${specimen}/`, n: '0', vs: 'one' },
      { n: '1', v: 4242 },
    ]),
  ],
  [senmlCbor, hex(`82 a3 21 69 ${name(`${specimen}/`)} 00 61 30 03 63 ${name('one')} a2 00 61 31 02 19 1092`)],
  [
    lwm2mJson,
    JSON.stringify({
      bn: `${specimen}/`,
      e: [
        { n: '0', sv: 'one' },
        { n: '1', v: 4242 },
      ],
    }),
  ],
];

/** Write (replace, partial, attributes, composite), Execute, Create and Delete. */
export const writing = (talk: () => Conversation): void => {
  it.each(integers)('PUT of a resource as %s', async (contentType, payload) => {
    await talk().hears(/^written 1 4242$/, () => talk().writes('PUT', one, contentType, payload));
  });

  it.each([
    ['0', text, 'plain', 'plain'],
    ['2', text, '-2.25', '-2.25'],
    ['3', text, '1', 'true'],
    ['4', opaque, hex('00 ff 10'), '00ff10'],
    ['4', '', hex('01 ff 10'), '01ff10'],
    ['5', text, '1700000123', '1700000123'],
    ['6', text, '3303:0', '.*3303.*0.*'],
    ['7', '', '3000000001', '3000000001'],
    ['8/7', text, 'seventh', 'seventh'],
  ])('PUT of resource %s as "%s"', async (resource, contentType, payload, words) => {
    const more = { 'payload-b64': b64(payload), ...(contentType && { 'content-type': contentType }) };
    await talk().hears(new RegExp(`^written ${resource} ${words}$`), async () =>
      expect(await talk().asks('PUT', `${specimen}/${resource}`, more)).toMatchObject({ status: 200 }),
    );
  });

  for (const method of ['PUT', 'POST'] as const)
    it.each(instances)(
      `${method} of an instance as %s; its values are desired ones then`,
      async (contentType, payload) => {
        const desires = (decoded: number): Promise<unknown> =>
          eventually(async () => expect((await talk().echo()).get(one)?.desired).toMatchObject({ decoded, status: 1 }));
        await talk().writes('PUT', one, text, '1');
        await desires(1);
        const since = talk().device.said.length;
        await talk().writes(method, specimen, contentType, payload);
        for (const words of [/^written 0 one$/, /^written 1 4242$/]) await talk().device.says(words, { since });
        await desires(4242);
      },
    );

  it.each([
    [
      senmlJson,
      JSON.stringify([
        { n: '/3303/0/5750', vs: 'both' },
        { n: one, v: 90 },
      ]),
    ],
    [senmlCbor, hex(`82 a2 00 6c ${name('/3303/0/5750')} 03 64 ${name('both')} a2 00 6a ${name(one)} 02 18 5a`)],
  ])('several paths at once as %s', async (contentType, payload) => {
    const since = talk().device.said.length;
    await talk().writes('IPATCH', '/', contentType, payload);
    for (const words of [/^written 5750 both/, /^written 1 90/]) await talk().device.says(words, { since });
    await eventually(async () =>
      expect((await talk().echo()).get(one)?.desired).toMatchObject({ decoded: 90, status: 1 }),
    );
  });

  it('what may not be written', async () => {
    const value = { 'content-type': text, 'payload-b64': b64('1') };
    expect(await talk().asks('PUT', '/3303/0/5700', value)).toMatchObject({ status: 400, error: 'METHOD_NOT_ALLOWED' });
    const wrong = { 'content-type': text, 'payload-b64': b64('warm') };
    expect(await talk().asks('PUT', one, wrong)).toMatchObject({ status: 400, error: 'BAD_REQUEST' });
  });

  it.each([
    ['', ''],
    ["0='kitchen',1", " 0='kitchen',1"],
  ])('executes with the arguments "%s"', async (given, words) => {
    await talk().hears(new RegExp(`^executed 5605${words}$`), async () =>
      expect(
        await talk().asks('POST', '/3303/0/5605', given === '' ? {} : { 'payload-b64': b64(given) }),
      ).toMatchObject({ status: 200 }),
    );
  });

  it.each([
    [7, senmlJson, JSON.stringify([{ n: '/3303/7/5750', vs: 'attic' }])],
    [8, tlv, hex(`08 08 08 e5 1676 ${name('attic')}`)],
    [9, lwm2mJson, JSON.stringify({ bn: '/3303/', e: [{ n: '9/5750', sv: 'attic' }] })],
  ])('creates instance %i as %s, and deletes it', async (id, contentType, payload) => {
    await talk().writes('POST', '/3303', contentType, payload);
    // A path can be used once the device has announced the instance, with an update of its registration.
    await eventually(async () =>
      expect(await talk().reads(`/3303/${id}/5750`, text)).toMatchObject({ status: 200, bytes: Buffer.from('attic') }),
    );
    expect(await talk().asks('DELETE', `/3303/${id}`)).toMatchObject({ status: 200 });
    await eventually(() => expect(talk().asks('GET', `/3303/${id}/5750`)).rejects.toThrow('400 RESOURCE_NOT_FOUND'));
  });
};
