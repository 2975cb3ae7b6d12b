import { expect, it } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import { type Conversation, tlv } from './conversation.ts';

const updateClient = [18, ...Array.from({ length: 29 }, (_, i) => 21 + i)];

/** Spec §6.2: reports of devices about their updates, in the event log. */
export const firmware = (talk: () => Conversation): void => {
  const codes = async (): Promise<string[]> => {
    const { json } = await talk().app.call(
      'GET',
      `/v3/device-events?device_id=${talk().deviceId}&limit=1000&order=ASC`,
    );
    return (json.data as { event_code: string }[]).map((event) => event.event_code).filter((code) => /^UPD/.test(code));
  };

  it('each result of object 5 is in the event log once, with the state', async () => {
    await talk().subscribes('/5/0/5');
    await talk().subscribes('/5/0/3');
    const expected: string[] = [];
    for (const [result, code] of [
      [1, 'UPD2_OK_18'],
      [2, 'UPD4_FAIL_33'],
      [3, 'UPD4_FAIL_34'],
      [4, 'UPD4_FAIL_24'],
      [5, 'UPD4_FAIL_26'],
      [6, 'UPD4_FAIL_25'],
      [7, 'UPD4_FAIL_41'],
      [8, 'UPD4_FAIL_40'],
      [9, 'UPD4_FAIL_41'],
      [10, 'UPD4_FAIL_41'],
    ] as const) {
      // First the device installs (state 3), then it is idle and reports the result.
      await eventually(async () => {
        talk().device.tell(`firmware 3 0`);
        expect((await talk().reads('/5/0/3', 'text/plain')).bytes.toString()).toBe('3');
      });
      talk().device.tell(`firmware 0 ${result}`);
      expected.push(code);
      await eventually(async () => {
        await talk().reads('/5/0', tlv);
        expect(await codes()).toEqual(expected);
      });
    }
    const { json } = await talk().app.call(
      'GET',
      `/v3/device-events?device_id=${talk().deviceId}&event_type=UPD2_OK_18`,
    );
    expect(json.data[0]).toMatchObject({ data: { resource_path: '/5/0/5', result: 'success' } });
  });

  it('each result of the update client that it sends is, too', async () => {
    const before = await codes();
    talk().device.tell(`results 112 ${updateClient.join(' ')}`);
    const expected = updateClient.map((result) => (result === 18 ? 'UPD2_OK_18' : `UPD4_FAIL_${result}`));
    await eventually(async () => expect((await codes()).slice(before.length)).toEqual(expected));
  });
};
