import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import { sensor } from '../journeys.ts';
import { specimenDefinition } from '../leshan-device.ts';
import {
  b64,
  cbor,
  type Conversation,
  link,
  lwm2mJson,
  opaque,
  senmlCbor,
  senmlJson,
  text,
  tlv,
} from './conversation.ts';
import { specimen, varied, variedBytes, variedInstances } from './specimen.ts';

/** Read and Discover. The definition of object 33010 is unknown before the first of these tests. */
export const reading = (talk: () => Conversation): void => {
  let n = 1;

  it('an uploaded definition gives types to what TLV leaves bytes', async () => {
    await talk().tells('vary 1', /^varied/);
    expect(await talk().reads(specimen, tlv)).toMatchObject({ status: 200, ct: tlv });
    await eventually(async () =>
      expect((await talk().echo()).get(`${specimen}/2`)?.reported).toMatchObject({
        content_type: opaque,
        value: Buffer.from([0x3f, 0xf8, 0, 0, 0, 0, 0, 0]).toString('base64'),
      }),
    );
    const xml = readFileSync(specimenDefinition, 'utf8');
    const headers = { 'content-type': 'application/xml' };
    expect((await talk().app.call('POST', '/v3/object-models', xml, headers)).status).toBe(201);
    await eventually(async () => {
      await talk().reads(specimen, tlv);
      expect((await talk().echo()).get(`${specimen}/2`)?.reported?.decoded).toBe(1.5);
    });
  });

  it.each([
    [specimen, tlv],
    [specimen, senmlJson],
    [specimen, senmlCbor],
    [specimen, lwm2mJson],
    ['/33010', tlv],
    ['/33010', senmlJson],
    ['/33010', senmlCbor],
  ])('%s as %s: every type', async (path, accept) => {
    await talk().tells(`vary ${++n}`, /^varied/);
    expect(await talk().reads(path, accept)).toMatchObject({ status: 200, ct: accept });
    await talk().echoes({ ...varied(n), ...variedInstances(n) });
    expect((await talk().echo()).get(`${specimen}/4`)?.reported?.value).toBe(b64(variedBytes(n)));
  });

  it.each([text, cbor, tlv, senmlJson, senmlCbor, lwm2mJson])('single resources as %s: every type', async (accept) => {
    await talk().tells(`vary ${++n}`, /^varied/);
    for (const path of Object.keys(varied(n)))
      expect([path, await talk().reads(path, accept)]).toMatchObject([path, { status: 200, ct: accept }]);
    await talk().echoes(varied(n));
  });

  it('bytes as opaque, a resource with instances, and one of these', async () => {
    await talk().tells(`vary ${++n}`, /^varied/);
    expect(await talk().reads(`${specimen}/4`, opaque)).toMatchObject({ ct: opaque, bytes: variedBytes(n) });
    for (const accept of [tlv, senmlJson, senmlCbor]) {
      await talk().tells(`vary ${++n}`, /^varied/);
      expect(await talk().reads(`${specimen}/8`, accept)).toMatchObject({ status: 200, ct: accept });
      await talk().echoes({ [`${specimen}/8`]: { 0: `a${n}`, 7: `b${n}` } });
    }
    expect(await talk().reads(`${specimen}/8/7`, text)).toMatchObject({ bytes: Buffer.from(`b${n}`) });
  });

  it('in the format of the device, where none is requested', async () => {
    await talk().tells(`vary ${++n}`, /^varied/);
    for (const path of Object.keys(varied(n))) expect(await talk().asks('GET', path)).toMatchObject({ status: 200 });
    await talk().echoes(varied(n));
  });

  it('what it lacks, and a format that it does not speak', async () => {
    expect(await talk().reads('/3303/0/5999', text)).toMatchObject({ status: 404, error: 'RESOURCE_NOT_FOUND' });
    expect(await talk().reads(specimen, 'application/vnd.oma.lwm2m+cbor')).toMatchObject({
      status: 415,
      error: 'NOT_ACCEPTABLE',
    });
  });

  it('discovers an object, an instance and a resource, with write attributes', async () => {
    expect(await talk().asks('PUT', `${sensor}?pmin=0&pmax=3600&gt=100&st=0.1`)).toMatchObject({ status: 200 });
    for (const path of ['/3303', '/3303/0', sensor]) {
      const { status, ct, bytes } = await talk().reads(path, link);
      expect([status, ct]).toEqual([200, link]);
      expect(bytes.toString()).toContain('</3303/0');
      if (path === sensor) expect(bytes.toString()).toMatch(/pmax=3600.*gt=100|gt=100.*pmax=3600/);
    }
    expect(await talk().asks('PUT', `${sensor}?pmin&pmax&gt&st`)).toMatchObject({ status: 200 });
  });

  it.each([
    [senmlJson, JSON.stringify([{ n: `${specimen}/1` }, { n: `${specimen}/2` }])],
    [senmlJson, JSON.stringify([{ n: specimen }])],
    [senmlCbor, Buffer.concat([Buffer.from([0x81, 0xa1, 0x00, 0x68]), Buffer.from(specimen)])],
  ])('several paths at once as %s', async (contentType, pack) => {
    await talk().tells(`vary ${++n}`, /^varied/);
    const composite = { 'content-type': contentType, 'payload-b64': b64(pack) };
    expect(await talk().asks('FETCH', '/', composite)).toMatchObject({ status: 200, ct: contentType });
    await talk().echoes({ [`${specimen}/1`]: -1000 * n, [`${specimen}/2`]: n + 0.5 });
  });
};
