import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Simulator } from '../../tools/testing/simulator.ts';
import { Application } from '../application.ts';
import { ConsoleBrowser, schemes, widths } from '../console/console-browser.ts';
import { type RunningSystem, startSystem } from '../system.ts';

const temperature = '/3303/0/5700';
const relayName = '/3306/0/5750';

/** Would show itself if it were ever taken for HTML. */
const script = '<img src=x onerror="window.wasRun=1"><script>window.wasRun=1</script>';

describe('the page of a device in a browser', () => {
  let system: RunningSystem;
  let app: Application;
  let fleet: Simulator;
  let browser: ConsoleBrowser;
  let id: string;

  beforeAll(async () => {
    system = await startSystem('console-device');
    app = new Application(system.baseUrl, system.adminKey);
    await app.call('PUT', '/v2/subscriptions', [{ 'endpoint-type': 'simulated', 'resource-path': [temperature] }]);
    fleet = await Simulator.start({ devices: 1, 'values-per-second': 2, server: system.coapUrls[0] as string });
    id = await app.deviceId('sim-0');
    browser = await ConsoleBrowser.open(system.baseUrl);
    await browser.signIn(system.adminKey);
    await browser.page.getByRole('heading', { level: 1, name: 'Fleet' }).waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await fleet?.stop();
    await system?.stop();
  });

  const tab = (name: string) => browser.page.getByRole('tab', { name }).click();

  const hasNoFault = async (part: string): Promise<void> => {
    for (const width of widths)
      for (const scheme of schemes) {
        await browser.show(width, scheme);
        await browser.photograph(`device-${part}-${width}-${scheme}`);
        expect([part, width, scheme, await browser.violations()]).toEqual([part, width, scheme, []]);
        expect([part, width, await browser.overflows()]).toEqual([part, width, false]);
      }
    await browser.show(1_280, 'light');
  };

  it('shows a resource as it changes, with a chart, and reads it', async () => {
    await browser.visit(`/devices/${id}?path=${temperature}`, 'sim-0');
    await browser.page.getByRole('img', { name: /over time/ }).waitFor();
    await browser.page.getByRole('button', { name: 'Read', exact: true }).click();
    await browser.page.getByRole('status').getByText(/^Read/).waitFor();
    await hasNoFault('resources');
  });

  it('refuses a value that does not fit the type, writes one that does, and shows a script as text', async () => {
    await browser.visit(`/devices/${id}?path=${relayName}`, 'sim-0');
    await browser.page.getByLabel(/^Value/).fill(script);
    await browser.page.getByRole('button', { name: 'Write' }).click();
    await browser.page
      .getByRole('status')
      .getByText(/^Written/)
      .waitFor();
    await browser.page.getByText(script).first().waitFor();
    expect(await browser.page.evaluate("'wasRun' in window")).toBe(false);
    await browser.visit(`/devices/${id}?path=${temperature}`, 'sim-0');
    await browser.page.getByLabel('Value (float)').fill('warm');
    await browser.page.getByText('Enter a number.').first().waitFor();
  });

  it('lists the commands', async () => {
    await tab('Commands');
    await browser.page.getByText(`GET ${temperature}`).first().waitFor();
    await hasNoFault('commands');
  });

  it('suspends the device with a category, shows that in its events, and resumes it', async () => {
    await browser.page.getByRole('button', { name: 'Suspend' }).click();
    expect(await browser.violations()).toEqual([]);
    await browser.page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click();
    await browser.page.getByRole('button', { name: 'Resume' }).waitFor();
    expect((await app.call('GET', `/v3/devices/${id}`)).json).toMatchObject({ lifecycle_status: 'blocked' });
    await tab('Events');
    await browser.page
      .getByText(/suspended/i)
      .first()
      .waitFor();
    await hasNoFault('events');
    await browser.page.getByRole('button', { name: 'Resume' }).click();
    await browser.page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click();
    await browser.page.getByRole('button', { name: 'Suspend' }).waitFor();
    await tab('Credentials');
    await browser.page.getByText('No credentials').waitFor();
  });

  it.each([
    ['/channels', 'Channels'],
    ['/campaigns', 'Campaigns'],
    ['/keys', 'Keys'],
    ['/account', 'Account'],
  ])('%s has no fault that axe finds, at any width, light and dark', async (path, title) => {
    await browser.visit(path, title);
    await browser.page
      .getByText(/callback registers|No campaigns yet|First administrator|no limit/)
      .first()
      .waitFor();
    await hasNoFault(title.toLowerCase());
  });

  it('says what a campaign would select, and shows its name as text', async () => {
    const { json: image } = await app.call('POST', '/v3/firmware-images?version=2.0.0&name=image', Buffer.from('new'));
    const { json } = await app.call('POST', '/v3/update-campaigns', {
      name: script,
      firmware_image_id: image.id,
      filter: 'endpoint_name=absent',
    });
    await browser.visit(`/campaigns/${json.id}`, script);
    await browser.page.getByRole('button', { name: 'Try the selection' }).click();
    await browser.page.getByText('0 devices would be selected').waitFor();
    expect(await browser.page.evaluate("'wasRun' in window")).toBe(false);
    await hasNoFault('campaign');
  });

  it('says why where a device does not exist', async () => {
    await browser.visit('/devices/00000000-0000-7000-8000-000000000000', 'Device');
    await browser.page
      .getByRole('alert')
      .getByText(/Request /)
      .waitFor();
    expect(browser.complaints).toEqual([]);
  });
});
