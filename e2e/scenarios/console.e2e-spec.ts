import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import { describeChannels } from '../console/channels-scenario.ts';
import { Console } from '../console/console.ts';
import { describeDialogs } from '../console/dialogs-scenario.ts';
import { describeDevicePage } from '../console/device-scenario.ts';
import { describeDevices } from '../console/devices-scenario.ts';
import { describeInjection } from '../console/injection-scenario.ts';
import { describeKeyboard } from '../console/keyboard-scenario.ts';
import { describeLists } from '../console/lists-scenario.ts';
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

  it('says at once how long sign-ins are slowed down', async () => {
    const { page } = browser;
    const message = 'Too many requests: try again in 20 s.';
    const json = { object: 'error', code: 429, type: 'rate_limit_exceeded', message, request_id: 'r-1' };
    let attempts = 0;
    await page.route('**/v3/session', (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      attempts++;
      return route.fulfill({ status: 429, headers: { 'retry-after': '20' }, json });
    });
    await browser.signIn(system.adminKey);
    await page.getByRole('alert').getByText(message).waitFor();
    // A client that waits as it is told to sends the key again before it says anything.
    expect(attempts).toBe(1);
    await page.unroute('**/v3/session');
  });

  it('refuses a wrong key with the words of the API, and keeps no secret in the browser', async () => {
    await browser.signIn(`${system.adminKey.slice(0, -8)}aaaaaaaa`);
    await browser.says('alert', /Request /);
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
  describeLists(() => running);
  describeDialogs(() => running);
  describeKeyboard(() => running);
  describeInjection(() => running);

  it('says that the connection is lost, keeps what it shows, and recovers by itself', async () => {
    const { page } = browser;
    const path = '/3303/0/5700';
    const id = await app.deviceId('sim-0');
    const commands = async (): Promise<unknown> =>
      (await app.call('GET', `/v3/device-requests?device_id=${id}&include=total_count`)).json.total_count;
    const value = page.getByRole('row').filter({ hasText: path }).getByRole('cell', { name: / °C$/ });
    const sent = await commands();
    await browser.visit(`/devices/${id}?path=${path}`, 'sim-0');
    await value.waitFor();
    // What has not been read once cannot be kept, and says so in an alert of its own.
    await page.getByText('What it waits for').waitFor();
    await page.getByRole('img', { name: /over time/ }).waitFor();
    // As in a cluster, where neither the Gateway nor an ingress passes this path.
    await page.route('**/healthz', (route) => route.fulfill({ status: 404 }));
    system.signal('gateway-0', 'SIGKILL');
    await page.getByText('Connection lost.').waitFor();
    // What is begun now fails. It is not done later, when no person expects it any more.
    await page.getByRole('button', { name: 'Read', exact: true }).click();
    await page.getByRole('alert').getByText('The gateway does not answer').waitFor();
    expect(await browser.violations()).toEqual([]);
    await browser.photograph('connection-lost');
    const last = await value.textContent();
    await system.restart('gateway-0');
    await page.getByText('Connection lost.').waitFor({ state: 'detached' });
    await eventually(async () => expect(await value.textContent()).not.toBe(last));
    expect(await commands()).toBe(sent);
    await page.unroute('**/healthz');
  });

  it('leaves out what happened while the connection was lost for a long time', async () => {
    const { page } = browser;
    await browser.visit('/', 'Fleet');
    await page.getByText('live', { exact: true }).waitFor();
    system.signal('gateway-0', 'SIGKILL');
    await page.getByText('interrupted', { exact: true }).waitFor();
    await page.evaluate('((now) => void (Date.now = () => now() + 3_600_000))(Date.now.bind(Date))');
    const fromNowOn = page.waitForRequest(
      (request) => request.url().includes('/v3/device-events/stream') && !request.headers()['last-event-id'],
    );
    await system.restart('gateway-0');
    await fromNowOn;
    await page.getByText('live', { exact: true }).waitFor();
  });

  it('begins another attempt to open the stream of events when the computer wakes up during one', async () => {
    const { page } = browser;
    const path = '**/v3/device-events/stream*';
    const { calls, release } = await browser.hold(path);
    await browser.visit('/', 'Fleet');
    await eventually(() => calls() > 0);
    const before = calls();
    await page.evaluate('((now) => void (Date.now = () => now() + 3_600_000))(Date.now.bind(Date))');
    // Before the time of the first attempt is up, which is 30 s.
    await eventually(() => calls() > before, { timeoutMs: 20_000 });
    release();
    await page.getByText('live', { exact: true }).waitFor();
    await page.unroute(path);
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

  it('shows a key that may not see events which devices there are, also those that come meanwhile', async () => {
    const group = await app.call('POST', '/v3/policy-groups', { name: 'Counters', permissions: ['devices.read'] });
    const key = await app.call('POST', '/v3/api-keys', { name: 'Counter', groups: [group.json.id] });
    await browser.signIn(key.json.key);
    await browser.page.getByText('Counter does not have the permission events.read').waitFor();
    await browser.visit('/devices', 'Devices');
    await browser.page.getByRole('link', { name: 'sim-0', exact: true }).waitFor();
    // The newest devices are the last ones of a list that is longer than the window.
    await browser.page.getByLabel('Search').fill('unannounced');
    await browser.page.getByText('No device matches').waitFor();
    await app.call('POST', '/v3/devices', { endpoint_name: 'unannounced' });
    await browser.page.getByRole('link', { name: 'unannounced' }).waitFor();
  });

  it('shows a key that is limited to device groups their devices, and says what it does not see', async () => {
    const group = await app.call('POST', '/v3/device-groups', { name: 'North' });
    const device = await app.deviceId('sim-7');
    await app.call('POST', `/v3/device-groups/${group.json.id}/devices/add`, { device_id: device });
    const key = await app.call('POST', '/v3/api-keys', { name: 'Northerner', device_groups: [group.json.id] });
    await browser.signIn(key.json.key);
    // One hint: strict, as all locators are.
    await browser.page.getByText('Northerner is limited to device groups').waitFor();
    expect(await browser.violations()).toEqual([]);
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

  it('leaves nothing of a session to the next person at the browser, and tells a new account what to do', async () => {
    const { page } = browser;
    const title = (name: string) => page.getByRole('heading', { level: 1, name });
    const { json: account } = await app.call('POST', '/v3/accounts', { display_name: 'Next person' });
    const { json: temporary } = await app.call('POST', '/v3/api-keys', { name: 'Temporary' });
    const signInHere = async (key: string): Promise<void> => {
      await page.getByPlaceholder('ak_1…').fill(key);
      await page.getByRole('button', { name: 'Sign in' }).click();
    };
    const signOut = async (): Promise<void> => {
      await page.getByRole('button', { name: /^Account: / }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
    };
    const device = page.getByRole('link', { name: /^sim-\d+$/ });

    await browser.signInElsewhere(system.adminKey);
    await browser.visit('/devices', 'Devices');
    await device.first().waitFor();
    await page.route('**/v3/session', (route) =>
      route.request().method() === 'DELETE' ? route.abort() : route.continue(),
    );
    await signOut();
    await page
      .getByRole('dialog', { name: 'You are still signed in' })
      .getByText('The gateway does not answer')
      .waitFor();
    expect(await browser.violationsOfOpened()).toEqual([]);
    await page.unroute('**/v3/session');
    await page.getByRole('button', { name: 'Try again' }).click();
    // The page would ask by itself after a minute who is signed in.
    await title('Sign in to Lanyard').waitFor({ timeout: 30_000 });

    await signInHere(temporary.key as string);
    await device.first().waitFor();
    expect((await app.call('DELETE', `/v3/api-keys/${temporary.id}`)).status).toBe(204);
    await page.getByText('Your session has ended').waitFor();
    const { release } = await browser.hold('**/v3/devices?*');
    await signInHere(account.admin_key as string);
    await title('Devices').waitFor();
    expect(await device.count()).toBe(0);
    release();
    await page.getByText('No devices yet').waitFor();
    await page.getByText('npm run device -- --secure').waitFor();
    await page.unroute('**/v3/devices?*');
    expect(await browser.violations()).toEqual([]);
    await browser.visit('/', 'Fleet');
    await page.getByText('No devices yet').waitFor();
    expect(await browser.faults('no-fleet')).toEqual([]);
  });

  it('leaves nothing of a session to another person who signs in from another tab', async () => {
    const { page } = browser;
    const { json: account } = await app.call('POST', '/v3/accounts', { display_name: 'Person in another tab' });
    const device = page.getByRole('link', { name: /^sim-\d+$/ });
    await browser.signInElsewhere(system.adminKey);
    await browser.visit('/devices', 'Devices');
    await device.first().waitFor();
    const { release } = await browser.hold('**/v3/devices?*');
    await browser.signInElsewhere(account.admin_key as string);
    // The page comes into sight, and asks who is signed in. If it stayed in sight, it would ask after a minute.
    await page.evaluate("void dispatchEvent(new Event('visibilitychange'))");
    await device.first().waitFor({ state: 'detached', timeout: 30_000 });
    release();
    await page.getByText('No devices yet').waitFor();
    await page.unroute('**/v3/devices?*');
  });

  describeSignIn(() => running);

  it('has complained about nothing: no error, nothing that the policy refused', () => {
    expect(browser.complaints).toEqual([]);
  });
});
