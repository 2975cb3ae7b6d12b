import { randomBytes } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import { fresh, sensor } from '../journeys.ts';
import { b64, type Conversation, opaque, senmlCbor, senmlJson, text, tlv } from './conversation.ts';
import { filled, javaHash, specimen, varied, variedInstances } from './specimen.ts';

const mebibyte = 1_048_576;

/** Observe, Cancel, Send, and bodies in blocks. `n`: greater than all values that the device varied before. */
export const observing = (talk: () => Conversation): void => {
  let n = 100;

  it.each([
    [specimen, [senmlCbor, tlv]],
    ['/33010', [senmlCbor, tlv]],
    [`${specimen}/2`, [text]],
  ])('observes %s, which reports as one of %j, until it is cancelled with a request', async (path, contentTypes) => {
    await talk().hears(new RegExp(`^asked GET ${path} observe=0$`), () => talk().subscribes(path));
    await talk().receives(path);
    for (let round = 0; round < 2; round++) {
      const known = talk().notifications(path).length;
      n++;
      const isOne = path === `${specimen}/2`;
      await talk().reports(`vary ${n}`, isOne ? { [path]: n + 0.5 } : { ...varied(n), ...variedInstances(n) });
      expect(contentTypes).toContain((await talk().receives(path, known)).ct);
    }
    await talk().hears(new RegExp(`^asked GET ${path} observe=1$`), () => talk().unsubscribes(path));
    expect(await talk().isSubscribed(path)).toBe(false);
  });

  it.each([
    [senmlJson, JSON.stringify([{ n: sensor }, { n: `${specimen}/1` }])],
    [
      senmlCbor,
      Buffer.concat([
        Buffer.from([0x82, 0xa1, 0x00, 0x60 + sensor.length]),
        Buffer.from(sensor),
        Buffer.from([0xa1, 0x00, 0x6a]),
        Buffer.from(`${specimen}/1`),
      ]),
    ],
  ])('observes several paths together as %s, until the last of them is cancelled', async (contentType, pack) => {
    const paths = [sensor, `${specimen}/1`] as const;
    const composite = { observe: true, 'content-type': contentType, 'payload-b64': b64(pack) };
    await talk().hears(/^asked FETCH \/ observe=0$/, async () =>
      expect(await talk().asks('FETCH', '/', composite)).toMatchObject({ status: 200, ct: contentType }),
    );
    const known = paths.map((path) => talk().notifications(path).length);
    n++;
    // Both notifications at once: the later value changes while the first is being sent.
    talk().device.tell(`set ${n}.25`);
    await talk().reports(`vary ${n}`, { [sensor]: n + 0.25, [`${specimen}/1`]: -1000 * n });
    for (const [i, path] of paths.entries()) await talk().receives(path, known[i]);
    await talk().unsubscribes(sensor);
    await talk().hears(/^asked FETCH \/ observe=1$/, () => talk().unsubscribes(`${specimen}/1`));
  });

  it('what it reports may be as long as it likes', async () => {
    const path = `${specimen}/4`;
    await talk().subscribes(path);
    const known = talk().notifications(path).length;
    // A value may arrive twice.
    const before = talk().notifications(path).at(-1)?.bytes;
    talk().device.tell('fill 20000');
    const reported = (): Buffer[] =>
      talk()
        .notifications(path)
        .slice(known)
        .map(({ bytes }) => bytes)
        .filter((bytes) => !before?.equals(bytes));
    await eventually(() => reported().length > 0);
    const [bytes] = reported();
    // TLV: a head of a few bytes, then the value.
    expect(bytes?.subarray(-20_000).toString('latin1')).toBe(filled(20_000).toString('latin1'));
    await talk().unsubscribes(path);
  });

  it('takes and gives 1 MiB in blocks', async () => {
    const bytes = randomBytes(mebibyte);
    const path = `/v2/endpoints/${talk().deviceId}${specimen}/4`;
    const ended = async (asyncId: string): Promise<{ attempts: number; payload: string | null }> =>
      eventually(async () => {
        const { json } = await talk().app.call('GET', `/v3/device-requests/${asyncId}`);
        expect(json).toMatchObject({ state: 'succeeded' });
        return json;
      });
    const put = await talk().app.call('PUT', path, bytes, { 'content-type': opaque });
    expect(put.status).toBe(202);
    expect(await ended(put.json['async-response-id'])).toMatchObject({ attempts: 1 });
    await talk().device.says(new RegExp(`^written 4 ${bytes.length} ${javaHash(bytes)}$`));
    const read = fresh('large');
    expect((await talk().request('GET', `${specimen}/4`, { accept: opaque }, `async-id=${read}`)).status).toBe(202);
    const { payload } = await ended(read);
    expect(Buffer.from(payload ?? '', 'base64').equals(bytes)).toBe(true);
  });

  it('takes a package for its firmware', async () => {
    const bytes = randomBytes(20_000);
    await talk().hears(new RegExp(`^package ${bytes.length} ${javaHash(bytes)}$`), async () =>
      expect(await talk().asks('PUT', '/5/0/0', { 'payload-b64': b64(bytes) })).toMatchObject({ status: 200 }),
    );
  });

  it.each([110, 112])('takes what the device sends unasked, in format %i', async (format) => {
    await talk().tells(`vary ${++n}`, /^varied/);
    await talk().tells(`send ${format} ${specimen}`, /^sent (CONTENT|CHANGED)/);
    await talk().echoes({ ...varied(n), ...variedInstances(n) });
  });
};
