import { expect, it } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import { fresh, sensor } from '../journeys.ts';
import { b64, type Conversation, lwm2mJson, text, tlv } from './conversation.ts';
import { specimen, varied, variedBytes, variedInstances } from './specimen.ts';

const presubscribed = '/3303/0/5750';

const registrationsOf = ({ app, deviceId }: Conversation): { q?: boolean }[] =>
  app.items('registrations').filter((r) => r.ep === deviceId);

/** Update, re-registration and deregistration. */
export const registering = (talk: () => Conversation): void => {
  it('an update keeps subscriptions', async () => {
    await talk().subscribes(sensor);
    await talk().tells('update', /^updated/);
    await talk().app.receives('reg-updates', (r) => r.ep === talk().deviceId);
    const known = talk().notifications(sensor).length;
    talk().device.tell('set 31.5');
    await talk().receives(sensor, known);
    expect(await talk().isSubscribed(sensor)).toBe(true);
  });

  it('re-registration ends them: the application is told, and its rules apply again', async () => {
    const { app, device, deviceId } = talk();
    const rules = [{ 'endpoint-name': deviceId, 'resource-path': [presubscribed] }];
    expect((await app.call('PUT', '/v2/subscriptions', rules)).status).toBe(202);
    await talk().hears(new RegExp(`^asked GET ${presubscribed} observe=0$`), () => talk().tells('update', /^updated/));
    const told = registrationsOf(talk()).length;
    const since = device.said.length;
    device.tell('restart');
    await device.says(/^registered/, { since });
    await eventually(() => expect(registrationsOf(talk()).length).toBe(told + 1));
    await device.says(new RegExp(`^asked GET ${presubscribed} observe=0$`), { since });
    expect(await talk().isSubscribed(sensor)).toBe(false);
    expect(device.said.slice(since)).not.toContain(`asked GET ${sensor} observe=0`);
    await eventually(async () => expect(await talk().isSubscribed(presubscribed)).toBe(true));
    await talk().subscribes(sensor);
    const known = talk().notifications(sensor).length;
    device.tell('set 32.5');
    await talk().receives(sensor, known);
    expect((await app.call('DELETE', '/v2/subscriptions')).status).toBe(204);
  });

  it('what a suspended device reports is reset', async () => {
    const { app, deviceId } = talk();
    await talk().subscribes(sensor);
    expect((await app.call('POST', `/v3/devices/${deviceId}/suspend`, { category: 'maintenance' })).status).toBe(204);
    await app.receives('de-registrations', (d) => d === deviceId);
    await talk().tells('set 33.5', /^reset/);
    expect((await app.call('POST', `/v3/devices/${deviceId}/resume`, { category: 'maintenance' })).status).toBe(204);
    await talk().tells('update', /^registered/);
  });

  it('leaves', async () => {
    const { app, deviceId } = talk();
    const left = app.items('de-registrations').filter((d) => d === deviceId).length;
    await talk().tells('stop', /^deregistered/);
    await eventually(() => expect(app.items('de-registrations').filter((d) => d === deviceId)).toHaveLength(left + 1));
  });
};

/** A device in queue mode, which speaks the JSON of LwM2M 1.0. */
export const sleeping = (talk: () => Conversation): void => {
  const asleep = (): Promise<void> =>
    eventually(async () => {
      const { json } = await talk().app.call('GET', `/v3/explain?device_id=${talk().deviceId}`);
      expect(json.waits_for).toContain('to wake up');
    });

  /** Wakes the device again and again until the work is done, because it may fall asleep meanwhile. */
  const whileAwake = async (work: () => Promise<void>): Promise<void> => {
    let isDone = false;
    const done = work().finally(() => (isDone = true));
    while (!isDone) {
      await talk().tells('update', /^updated/);
      await Promise.race([done, new Promise((resolve) => setTimeout(resolve, 1_000))]);
    }
    return done;
  };

  it('is asked while it is awake', async () => {
    expect(registrationsOf(talk()).at(-1)).toMatchObject({ q: true });
    await whileAwake(() => talk().subscribes(specimen));
    const known = talk().notifications(specimen).length;
    await talk().reports('vary 7', { ...varied(7), ...variedInstances(7) });
    expect(await talk().receives(specimen, known)).toMatchObject({ ct: lwm2mJson });
  });

  it('is not contacted while it sleeps; what it reports then without an observation is ended', async () => {
    await asleep();
    const since = talk().device.said.length;
    await talk().unsubscribes(specimen);
    // Cancelled by RST, or by a request if the report arrives before the cancellation, because the device is awake then.
    await talk().tells('vary 8', /^(reset|asked GET .* observe=1)/);
    const said = talk().device.said.slice(since);
    const asleepUntil = said.indexOf('varied 8');
    expect(asleepUntil).toBeGreaterThanOrEqual(0);
    expect(said.slice(0, asleepUntil).filter((line) => line.startsWith('asked'))).toEqual([]);
  });

  it('gets what waited when it wakes', async () => {
    await asleep();
    const since = talk().device.said.length;
    const { app } = talk();
    const id = fresh('awake');
    const bed = { 'content-type': text, 'payload-b64': b64('bed') };
    expect((await talk().request('PUT', presubscribed, bed, `async-id=${id}&wait=1`)).status).toBe(202);
    expect((await app.call('GET', `/v3/device-requests/${id}`)).json).toMatchObject({ state: 'waiting', attempts: 0 });
    expect(talk().device.said.slice(since)).toEqual([]);
    await talk().tells('update', /^written 5750 bed/);
    expect(await app.answer(id)).toMatchObject({ status: 200 });
  });
};

/** A device that uses format numbers from before LwM2M 1.0. */
export const oldFashioned = (talk: () => Conversation): void => {
  it('is asked, written and observed in them', async () => {
    await talk().tells('vary 3', /^varied/);
    for (const [path, accept] of [
      [`${specimen}/2`, '1541'],
      [specimen, '1542'],
      [specimen, '1543'],
      [`${specimen}/4`, '1544'],
    ] as const)
      expect([accept, await talk().reads(path, accept)]).toMatchObject([accept, { status: 200 }]);
    await talk().echoes({ ...varied(3), ...variedInstances(3) });
    for (const [accept, path] of [
      [text, `${specimen}/1`],
      [tlv, specimen],
      [lwm2mJson, specimen],
    ] as const)
      expect(await talk().reads(path, accept)).toMatchObject({ status: 200, ct: accept });
    expect(await talk().asks('GET', specimen)).toMatchObject({ status: 200, ct: tlv });
    await talk().hears(/^written 1 17$/, () => talk().writes('PUT', `${specimen}/1`, text, '17'));
    await talk().hears(/^written 1 18$/, () => talk().writes('POST', specimen, tlv, Buffer.from('c10112', 'hex')));
    await talk().hears(/^written 4 00ff$/, async () =>
      expect(await talk().asks('PUT', `${specimen}/4`, { 'payload-b64': 'AP8=' })).toMatchObject({ status: 200 }),
    );
    await talk().subscribes(specimen);
    const known = talk().notifications(specimen).length;
    await talk().reports('vary 5', varied(5));
    expect(await talk().receives(specimen, known)).toMatchObject({ ct: tlv });
    expect((await talk().echo()).get(`${specimen}/4`)?.reported?.value).toBe(b64(variedBytes(5)));
  });
};
