import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeChannels } from '../console/channels-scenario.ts';
import { Console } from '../console/console.ts';
import { describeDialogs } from '../console/dialogs-scenario.ts';
import { describeDevicePage } from '../console/device-scenario.ts';
import { describeDevices } from '../console/devices-scenario.ts';
import { describeInjection } from '../console/injection-scenario.ts';
import { describeKeyboard } from '../console/keyboard-scenario.ts';
import { describePages } from '../console/pages-scenario.ts';
import { describeSignIn } from '../console/sign-in-scenario.ts';

/** One system and one browser for all pages. */
describe('the console in a browser', () => {
  let running: Console;
  let system: Console['system'];
  let app: Console['app'];
  let browser: Console['browser'];

  beforeAll(async () => {
    running = await Console.start();
    ({ system, app, browser } = running);
  });
  afterAll(() => running?.stop());

  it('refuses a wrong key with the words of the API, and keeps no secret in the browser', async () => {
    await browser.signIn(`${system.adminKey.slice(0, -8)}aaaaaaaa`);
    await browser.page
      .getByRole('alert')
      .getByText(/Request /)
      .waitFor();
    expect(await browser.violations()).toEqual([]);
    await browser.photograph('sign-in');
    await browser.signIn(system.adminKey);
    await browser.page.getByRole('heading', { level: 1, name: 'Fleet' }).waitFor();
    const kept = await browser.page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    );
    expect(kept).not.toContain(system.adminKey.slice(0, 12));
    expect(kept).not.toContain('lanyard_session');
  });

  describeDevices(() => running);
  describeDevicePage(() => running);
  describeChannels(() => running);
  describePages(() => running);
  describeDialogs(() => running);
  describeKeyboard(() => running);
  describeInjection(() => running);

  it('says that the connection is lost, and recovers by itself', async () => {
    await browser.visit('/devices', 'Devices');
    await browser.page.getByText('sim-0').first().waitFor();
    system.signal('gateway-0', 'SIGKILL');
    await browser.page.getByText('Connection lost.').waitFor();
    expect(await browser.violations()).toEqual([]);
    await browser.photograph('connection-lost');
    await system.restart('gateway-0');
    await browser.page.getByText('Connection lost.').waitFor({ state: 'detached' });
    await browser.page.getByText('sim-0').first().waitFor();
  });

  it('tells a key without permission why it sees nothing', async () => {
    const group = await app.call('POST', '/v3/policy-groups', { name: 'Listeners', permissions: ['notifications'] });
    const key = await app.call('POST', '/v3/api-keys', { name: 'Listener', groups: [group.json.id] });
    await browser.signIn(key.json.key);
    await browser.page.getByRole('heading', { level: 1, name: 'Fleet' }).waitFor();
    await browser.visit('/devices', 'Devices');
    await browser.page.getByText('Listener does not have the permission devices.read').first().waitFor();
    expect(await browser.violations()).toEqual([]);
    await browser.photograph('no-permission');
  });

  it('shows a key that is limited to device groups their devices, and says what it does not see', async () => {
    const group = await app.call('POST', '/v3/device-groups', { name: 'North' });
    const device = await app.deviceId('sim-7');
    await app.call('POST', `/v3/device-groups/${group.json.id}/devices/add`, { device_id: device });
    const key = await app.call('POST', '/v3/api-keys', { name: 'Northerner', device_groups: [group.json.id] });
    await browser.signIn(key.json.key);
    // One hint: strict, as all locators are.
    await browser.page.getByText('Northerner is limited to device groups').waitFor();
    expect(await browser.faults('limited-fleet')).toEqual([]);
    await browser.visit('/devices', 'Devices');
    await browser.page.getByText('1 device', { exact: true }).waitFor();
    await browser.page.getByRole('link', { name: 'sim-7' }).click();
    await browser.page.getByRole('heading', { level: 1, name: 'sim-7' }).waitFor();
    await browser.page
      .getByRole('cell', { name: /^[\d.]+ °C$/ })
      .first()
      .waitFor();
    await browser.visit(`/devices/${await app.deviceId('sim-0')}`, 'Device');
    await browser.page.getByRole('alert').getByText('Not found').waitFor();
    for (const [path, title] of [
      ['/bootstrap', 'Bootstrap'],
      ['/certificates', 'Certificates'],
    ] as const) {
      await browser.visit(path, title);
      await browser.page.getByText('Northerner is limited to device groups').first().waitFor();
    }
  });

  describeSignIn(() => running);

  it('has complained about nothing: no error, nothing that the policy refused', () => {
    expect(browser.complaints).toEqual([]);
  });
});
