import { expect, it } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import { fresh, sensor } from '../journeys.ts';
import { b64, type Conversation, etchCbor, etchJson, senmlCbor, senmlJson } from './conversation.ts';
import { specimen } from './specimen.ts';

const text = '/3303/0/5750';
const one = `${specimen}/1`;
const hex = (words: string): string => Buffer.from(words).toString('hex');

/** The same list of paths, and the same values, in both formats. */
const kinds = [
  {
    etch: etchJson,
    senml: senmlJson,
    list: Buffer.from(JSON.stringify([{ n: sensor }, { n: one }])),
    values: (said: string): Buffer =>
      Buffer.from(
        JSON.stringify([
          { n: text, vs: said },
          { n: one, v: 91 },
        ]),
      ),
  },
  {
    etch: etchCbor,
    senml: senmlCbor,
    list: Buffer.from(`82 a1006c${hex(sensor)} a1006a${hex(one)}`.replaceAll(' ', ''), 'hex'),
    values: (said: string): Buffer =>
      Buffer.from(
        `82a2006c${hex(text)}03${(0x60 + said.length).toString(16)}${hex(said)}a2006a${hex(one)}02185b`,
        'hex',
      ),
  },
];

/** A device that lists SenML-ETCH (RFC 8790). */
export const patching = (talk: () => Conversation): void => {
  it.each(kinds)('reads several paths as $etch names them, answered as $senml', async ({ etch, senml, list }) => {
    const composite = { 'content-type': etch, 'payload-b64': b64(list) };
    expect(await talk().asks('FETCH', '/', composite)).toMatchObject({ status: 200, ct: senml });
    await eventually(async () => expect((await talk().echo()).get(one)?.reported).toBeDefined());
  });

  it.each(kinds)('writes several paths as $etch', async ({ etch, values }) => {
    const said = fresh('etch').slice(-12);
    await talk().hears(new RegExp(`^written 5750 ${said}$`), () => talk().writes('IPATCH', '/', etch, values(said)));
    await eventually(async () =>
      expect((await talk().echo()).get(one)?.desired).toMatchObject({ decoded: 91, status: 1 }),
    );
  });

  it.each(kinds)(
    'observes several paths as $etch names them, until they are cancelled',
    async ({ etch, senml, list }) => {
      const composite = { observe: true, 'content-type': etch, 'payload-b64': b64(list) };
      await talk().hears(/^asked FETCH \/ observe=0$/, async () =>
        expect(await talk().asks('FETCH', '/', composite)).toMatchObject({ status: 200, ct: senml }),
      );
      const known = talk().notifications(sensor).length;
      const celsius = known + 40.25;
      await talk().reports(`set ${celsius}`, { [sensor]: celsius });
      await talk().receives(sensor, known);
      await talk().unsubscribes(sensor);
      await talk().hears(/^asked FETCH \/ observe=1$/, () => talk().unsubscribes(one));
    },
  );
};
