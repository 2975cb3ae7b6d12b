import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Simulator } from '../../tools/testing/simulator.ts';
import { Application } from '../application.ts';
import { ConsoleBrowser, schemes, widths } from '../console/console-browser.ts';
import { eventually } from '../patience.ts';
import { type RunningSystem, startSystem } from '../system.ts';

/** Every page that needs no more than its path. */
const pages: [path: string, title: string, shown: RegExp][] = [
  ['/', 'Fleet', /registered/],
  ['/devices', 'Devices', /sim-0/],
];

/** Would show itself if it were ever taken for HTML. */
const script = '<img src=x onerror="window.wasRun=1"><script>window.wasRun=1</script>';

const interactiveMaxMs = 2_000;

describe('the console in a browser', () => {
  let system: RunningSystem;
  let app: Application;
  let fleet: Simulator;
  let browser: ConsoleBrowser;

  beforeAll(async () => {
    system = await startSystem('console');
    app = new Application(system.baseUrl, system.adminKey);
    const server = system.coapUrls[0] as string;
    fleet = await Simulator.start({ devices: 24, sensors: 2, 'values-per-second': 20, server });
    await app.call('PUT', '/v2/subscriptions', [
      { 'endpoint-type': 'simulated', 'resource-path': ['/3303/0/5700', '/3303/1/5700'] },
    ]);
    await app.call('POST', '/v3/devices', { endpoint_name: 'injected', name: script, description: script });
    browser = await ConsoleBrowser.open(system.baseUrl);
  });
  afterAll(async () => {
    await browser?.close();
    await fleet?.stop();
    await system?.stop();
  });

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

  it.each(pages)('%s is usable within two seconds', async (path, title) => {
    await browser.visit(path, title);
    expect(await browser.visit(path, title)).toBeLessThan(interactiveMaxMs);
  });

  it.each(pages)('%s has no fault that axe finds, at any width, light and dark', async (path, title, shown) => {
    await browser.visit(path, title);
    await eventually(async () => expect(await browser.page.getByText(shown).count()).toBeGreaterThan(0));
    for (const width of widths)
      for (const scheme of schemes) {
        await browser.show(width, scheme);
        await browser.photograph(`${title.toLowerCase()}-${width}-${scheme}`);
        expect([path, width, scheme, await browser.violations()]).toEqual([path, width, scheme, []]);
        expect([path, width, await browser.overflows()]).toEqual([path, width, false]);
      }
    await browser.show(1_280, 'light');
  });

  it('finds devices as one types, and shows one that registers meanwhile', async () => {
    await browser.visit('/devices', 'Devices');
    await browser.page.getByLabel('Search').fill('LATE');
    await browser.page.getByText('No device matches').waitFor();
    const late = await Simulator.start({ devices: 1, 'name-prefix': 'late', server: system.coapUrls[0] as string });
    try {
      await browser.page.getByText('late-0').first().waitFor();
    } finally {
      await late.stop();
    }
  });

  it('shows text that looks like a script as text', async () => {
    await browser.visit('/devices?search=injected', 'Devices');
    await browser.page.getByText(script).first().waitFor();
    expect(await browser.page.evaluate("'wasRun' in window")).toBe(false);
    await browser.photograph('devices-injected');
  });

  it('says how many devices an action concerns before it is done', async () => {
    await browser.visit('/devices?search=sim-1', 'Devices');
    await browser.page.getByRole('button', { name: 'Actions' }).click();
    await browser.page.getByRole('menuitem', { name: 'Suspend' }).click();
    await browser.page.getByRole('dialog').getByText('11 devices', { exact: true }).waitFor();
    expect(await browser.violations()).toEqual([]);
    await browser.photograph('devices-suspend');
    await browser.page.getByRole('dialog').getByRole('button', { name: 'Suspend 11 devices' }).click();
    await browser.page.getByText('11 devices have been suspended').waitFor();
    const { json } = await app.call('GET', '/v3/devices?lifecycle_status=blocked&include=total_count');
    expect(json.total_count).toBe(11);
    await app.call('POST', '/v3/device-suspensions', {
      action: 'resume',
      category: 'maintenance',
      filter: 'search=sim-1',
    });
  });

  it('imports devices and shows the errors by row', async () => {
    await browser.visit('/devices', 'Devices');
    await browser.page.getByRole('button', { name: 'Import' }).click();
    await browser.page.locator('input[type=file]').setInputFiles({
      name: 'new.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('endpoint_name,endpoint_type\nimported-1,meter\nimported-1,meter\n'),
    });
    await browser.page.getByRole('button', { name: 'Start the import' }).click();
    await browser.page.getByText('1 row has an error').waitFor();
    expect(await browser.violations()).toEqual([]);
    await browser.photograph('devices-import');
  });

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

  it('has complained about nothing: no error, nothing that the policy refused', () => {
    expect(browser.complaints).toEqual([]);
  });
});
