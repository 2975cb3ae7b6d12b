import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import { type Console, script } from './console.ts';

const temperature = '/3303/0/5700';
const relayName = '/3306/0/5750';
/** A resource that the simulated devices do not have. */
const unlisted = '/3303/0/5999';

/** The page of a device that reports values. */
export const describeDevicePage = (running: () => Console): void =>
  describe('the page of a device', () => {
    let app: Console['app'];
    let browser: Console['browser'];
    let id: string;

    beforeAll(async () => {
      ({ app, browser } = running());
      id = await app.deviceId('sim-0');
    });

    const tab = (name: string) => browser.page.getByRole('tab', { name }).click();

    it('shows a resource as it changes, with a chart, and reads it', async () => {
      const { page } = browser;
      await browser.visit(`/devices/${id}?path=${temperature}`, 'sim-0');
      await page.getByText('Nothing: the device is registered and listens.').waitFor();
      await page.getByRole('img', { name: /over time/ }).waitFor();
      const row = page.getByRole('row').filter({ hasText: temperature });
      await row.getByText('Sensor Value').waitFor();
      await row.getByText(/^(now|\d+ (second|minute)s? ago)$/).waitFor();
      const value = row.getByRole('cell', { name: /^-?[\d.]+ °C$/ });
      const first = await value.textContent();
      await eventually(async () => expect(await value.textContent()).not.toBe(first));
      await page.getByRole('button', { name: 'Read', exact: true }).click();
      await page.getByRole('status').getByText(/^Read/).waitFor();
      expect(await browser.faults('device-resources')).toEqual([]);
    });

    it('refuses a value that does not fit the type, writes one that does, and shows a script as text', async () => {
      await browser.visit(`/devices/${id}?path=${relayName}`, 'sim-0');
      await browser.page.getByLabel(/^Value/).fill(script);
      await browser.page.getByRole('button', { name: 'Write' }).click();
      await browser.says('status', /^Written/);
      await browser.page.getByText(script).first().waitFor();
      await browser.page.getByText(/^desired <img .*, written since /).waitFor();
      expect(await browser.tookTextForHtml()).toBe(false);
      await browser.turnTo(`/devices/${id}?path=${temperature}`, 'sim-0');
      await browser.page.getByLabel('Value (float, °C)').fill('warm');
      await browser.page.getByText('Enter a number.').first().waitFor();
    });

    it('says in words why a device refuses a command', async () => {
      await browser.visit(`/devices/${id}?path=${unlisted}`, 'sim-0');
      await browser.page.getByRole('button', { name: 'Execute' }).click();
      const dialog = browser.page.getByRole('dialog', { name: `Execute ${unlisted}?` });
      await dialog.getByLabel('Arguments').fill('0');
      expect(await browser.violationsOfOpened()).toEqual([]);
      await dialog.getByRole('button', { name: 'Execute' }).click();
      const alert = browser.page.getByRole('alert');
      await alert.getByText('The command failed').waitFor();
      await alert.getByText('The device has no such resource (RESOURCE_NOT_FOUND).').waitFor();
    });

    it('offers what the object definition allows', async () => {
      await browser.turnTo(`/devices/${id}?path=${temperature}`, 'sim-0');
      const isOff = (name: string) =>
        browser.page.getByRole('button', { name, exact: true }).getAttribute('aria-disabled');
      await browser.page.getByLabel('Value (float, °C)').fill('20');
      expect(await Promise.all(['Read', 'Execute', 'Write'].map(isOff))).toEqual([null, 'true', 'true']);
    });

    it('lists the commands with their attempts', async () => {
      await tab('Commands');
      await browser.page.getByText(`GET ${temperature}`).first().waitFor();
      await browser.shows(/^1 attempt, /);
      expect(await browser.faults('device-commands')).toEqual([]);
    });

    it('suspends the device with a category, shows that in its events, and resumes it', async () => {
      await browser.page.getByRole('button', { name: 'Suspend' }).click();
      await browser.page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click();
      await browser.page.getByRole('button', { name: 'Resume' }).waitFor();
      await browser.page.getByText(/^In maintenance, since /).waitFor();
      expect((await app.call('GET', `/v3/devices/${id}`)).json).toMatchObject({ lifecycle_status: 'blocked' });
      await tab('Events');
      await browser.shows(/suspended/i);
      await browser.turnTo(`/devices/${id}?path=${temperature}`, 'sim-0');
      await browser.page.getByRole('button', { name: 'Read', exact: true }).click();
      await browser.page.getByRole('alert').getByText('The device is suspended (DEVICE_BLOCKED).').waitFor();
      expect(await browser.faults('device-suspended')).toEqual([]);
      await browser.page.getByRole('button', { name: 'Resume' }).click();
      expect(await browser.page.getByRole('dialog').getByLabel('Category').first().isDisabled()).toBe(true);
      await browser.page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click();
      await browser.page.getByRole('button', { name: 'Suspend' }).waitFor();
    });

    it('shows the events of a device back to its first one, and those that arrive meanwhile', async () => {
      const { page } = browser;
      const { json: made } = await app.call('POST', '/v3/devices', { endpoint_name: 'often-changed' });
      const path = `/v3/devices/${made.id}`;
      // A page has 100 events.
      for (let n = 1; n <= 110; n++)
        expect((await app.call('PUT', path, { description: `number ${n}` })).status).toBe(200);
      await eventually(async () => {
        const { json } = await app.call('GET', `/v3/device-events?device_id=${made.id}&include=total_count`);
        expect(json.total_count).toBe(111);
      });
      const events = (code: string) => page.getByText(new RegExp(`^${code} ·`));
      await browser.turnTo(`/devices/${made.id}?tab=events`, 'often-changed');
      await events('SYS_570').first().waitFor();
      expect(await events('SYS_570').count()).toBe(100);
      expect(await events('SYS_200').count()).toBe(0);
      await page.getByRole('button', { name: 'Next', exact: true }).click();
      await events('SYS_200').waitFor();
      // Events of other devices are not among them.
      expect(await events('SYS_\\d+').count()).toBe(11);
      expect(await browser.faults('device-events-older')).toEqual([]);
      expect((await app.call('POST', `${path}/suspend`, { category: 'maintenance' })).status).toBe(204);
      await page.getByRole('button', { name: 'Previous', exact: true }).click();
      await events('SYS_201').waitFor();
      await app.call('DELETE', path);
    });

    it('observes a resource with the own key, shows who is subscribed, and ends that', async () => {
      const { page } = browser;
      await browser.visit(`/devices/${id}?path=${relayName}`, 'sim-0');
      await page.getByRole('button', { name: 'Observe', exact: true }).click();
      await page.getByRole('button', { name: 'Stop observing' }).waitFor();
      await tab('Subscriptions');
      await page.getByText('by a presubscription rule').first().waitFor();
      expect(await browser.faults('device-subscriptions')).toEqual([]);
      await page.getByRole('button', { name: `End the subscription to ${relayName}` }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'End' }).click();
      await page.getByRole('button', { name: /^End the subscription/ }).waitFor({ state: 'detached' });
      expect((await app.call('GET', `/v2/subscriptions/${id}${relayName}`)).status).toBe(404);
      // What a rule observes is neither ended nor asked for here.
      await browser.turnTo(`/devices/${id}?path=${temperature}`, 'sim-0');
      await page.getByTitle('A presubscription rule observes this resource for you.').waitFor();
      expect(await page.getByRole('button', { name: 'Stop observing' }).count()).toBe(0);
    });

    it('creates a credential, whose key it shows once, and deletes it', async () => {
      const { page } = browser;
      const dialog = page.getByRole('dialog');
      await browser.turnTo(`/devices/${id}?tab=credentials`, 'sim-0');
      await page.getByText('No credentials').waitFor();
      await page.getByRole('button', { name: 'Create a credential' }).click();
      await dialog.getByRole('button', { name: 'Create', exact: true }).click();
      await dialog.getByText(/^[0-9a-f]{32,}$/).waitFor();
      await dialog.getByRole('button', { name: 'Close' }).last().click();
      await page.getByRole('cell', { name: /^Pre-shared key/ }).waitFor();
      expect(await browser.faults('device-credentials')).toEqual([]);
      await page.getByRole('button', { name: /^Delete the pre-shared key \S+$/ }).click();
      await dialog.getByRole('button', { name: 'Delete' }).click();
      await page.getByText('No credentials').waitFor();
    });

    it('sets how messages are sent over a slow radio, says at the field what is wrong, and resets it', async () => {
      const { page } = browser;
      const dialog = page.getByRole('dialog');
      const { json: made } = await app.call('POST', '/v3/devices', { endpoint_name: 'far-away' });
      const path = `/v3/devices/${made.id}`;
      const device = async (): Promise<unknown> => (await app.call('GET', path)).json;
      const { json: refusal } = await app.call('PUT', path, { coap_ack_timeout_ms: 999 });
      const problem = refusal.fields[0].message as string;
      const fact = (name: RegExp) => page.getByRole('row', { name });
      const open = () => page.getByRole('button', { name: 'Change the radio settings' }).click();
      const save = () => dialog.getByRole('button', { name: 'Save' }).click();
      const ackTimeout = dialog.getByLabel('ACK timeout');
      const handshakeTimer = dialog.getByLabel('First retransmission of a DTLS handshake');
      const chooseBlockSize = async (name: string): Promise<void> => {
        await dialog.getByLabel('Block size', { exact: true }).first().click();
        await page.getByRole('option', { name, exact: true }).click();
      };

      await browser.turnTo(`/devices/${made.id}?tab=radio`, 'far-away');
      await fact(/^ACK timeout that of the listener$/).waitFor();
      expect(await browser.faults('device-radio')).toEqual([]);
      await open();
      await dialog.getByText(/^1.000 to 60.000 ms, /).waitFor();
      await ackTimeout.fill('999');
      await save();
      await dialog.getByText(problem, { exact: true }).waitFor();
      expect(await ackTimeout.getAttribute('aria-invalid')).toBe('true');
      expect(await handshakeTimer.getAttribute('aria-invalid')).toBeNull();
      expect(await dialog.getByRole('alert').getByText(problem).count()).toBe(0);
      expect(await browser.violationsOfOpened()).toEqual([]);
      await ackTimeout.fill('10000');
      await chooseBlockSize('64 bytes');
      await handshakeTimer.fill('9000');
      await save();
      await fact(/^ACK timeout 10.000 ms$/).waitFor();
      await fact(/^Block size 64 bytes$/).waitFor();
      await fact(/^First retransmission of a DTLS handshake 9.000 ms$/).waitFor();
      const radio = { coap_ack_timeout_ms: 10_000, coap_block_bytes: 64, dtls_handshake_timer_ms: 9_000 };
      expect(await device()).toMatchObject(radio);

      await open();
      await ackTimeout.fill('');
      await chooseBlockSize('that of the listener');
      await save();
      await fact(/^ACK timeout that of the listener$/).waitFor();
      expect(await device()).toMatchObject({ ...radio, coap_ack_timeout_ms: null, coap_block_bytes: null });
      await app.call('DELETE', path);
    });

    it('cancels a command that waits for its device', async () => {
      const { page } = browser;
      const absent = await app.deviceId('injected');
      const body = { method: 'PUT', uri: '/3303/0/5701', 'payload-b64': 'Qw==' };
      expect((await app.call('POST', `/v2/device-requests/${absent}?async-id=waits`, body)).status).toBe(202);
      await browser.turnTo(`/devices/${absent}?tab=commands`, script);
      await page.getByRole('button', { name: 'Cancel PUT /3303/0/5701', exact: true }).click();
      await page.getByText('cancelled', { exact: true }).waitFor();
    });

    it('names a device, and deletes it', async () => {
      const { page } = browser;
      const dialog = page.getByRole('dialog');
      const { json: made } = await app.call('POST', '/v3/devices', { endpoint_name: 'of-no-use' });
      await browser.turnTo(`/devices/${made.id}`, 'of-no-use');
      await page.getByRole('button', { name: 'Change', exact: true }).click();
      await dialog.getByLabel('Name').fill('Cellar 4');
      await dialog.getByLabel('Description').fill('behind the boiler');
      expect(await browser.violationsOfOpened()).toEqual([]);
      // The answer is lost, so the change is sent again. The record has another version by then.
      const isOfDevice = (url: URL): boolean => url.pathname === `/v3/devices/${made.id}`;
      const changes: number[] = [];
      await page.route(isOfDevice, async (route) => {
        if (route.request().method() !== 'PUT') return route.continue();
        const response = await route.fetch();
        return changes.push(response.status()) === 1 ? route.abort() : route.fulfill({ response });
      });
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'detached' });
      expect(changes).toEqual([200, 412]);
      await page.unroute(isOfDevice);
      await page.getByRole('heading', { level: 1, name: 'Cellar 4' }).waitFor();
      await page.getByText('behind the boiler').waitFor();
      await page.getByRole('button', { name: 'Delete the device Cellar 4' }).click();
      await dialog.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('heading', { level: 1, name: 'Devices' }).waitFor();
      expect((await app.call('GET', `/v3/devices/${made.id}`)).status).toBe(404);
    });

    it('says why where a device does not exist', async () => {
      await browser.turnTo('/devices/00000000-0000-7000-8000-000000000000', 'Device');
      await browser.says('alert', /Request /);
    });
  });
