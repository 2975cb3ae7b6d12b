import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import { Simulator } from '../../tools/testing/simulator.ts';
import type { Console } from './console.ts';

const pages: [path: string, title: string, shown: RegExp][] = [
  ['/', 'Fleet', /registered/],
  ['/devices', 'Devices', /sim-0/],
];

/** A search for it finds 11 devices. */
const search = 'sim-1';

/** The fleet and its devices. */
export const describeDevices = (running: () => Console): void =>
  describe('the fleet and its devices', () => {
    let system: Console['system'];
    let app: Console['app'];
    let browser: Console['browser'];

    beforeAll(() => {
      ({ system, app, browser } = running());
    });

    const dialog = (name?: string | RegExp) => browser.page.getByRole('dialog', name === undefined ? {} : { name });

    const press = (name: string | RegExp) => dialog().getByRole('button', { name }).click();

    const choose = async (menu: string, item: string): Promise<void> => {
      await browser.page.getByRole('button', { name: menu }).click();
      await browser.page.getByRole('menuitem', { name: item }).click();
    };

    /** Opens the page of the devices that the query finds, and begins an action for all of them. */
    const begin = async (query: string, action: string): Promise<void> => {
      await browser.visit(`/devices?${query}`, 'Devices');
      await choose('Actions', action);
      await dialog().waitFor();
    };

    const chooseGroup = async (name: string): Promise<void> => {
      await dialog().getByTitle('Choose a group.').waitFor();
      await dialog().getByLabel('Group', { exact: true }).first().click();
      await browser.page.getByRole('option', { name }).click();
    };

    /** Creates a device. Resolves when the event log has it. */
    const create = async (name: string): Promise<void> => {
      const { json } = await app.call('POST', '/v3/devices', { endpoint_name: name });
      await eventually(async () => {
        const { data } = (await app.call('GET', `/v3/device-events?device_id=${json.id}`)).json;
        expect(data).not.toEqual([]);
      });
    };

    it.each(pages)('%s has no fault that axe finds, at any width, light and dark', async (path, title, shown) => {
      await browser.visit(path, title);
      await eventually(async () => expect(await browser.page.getByText(shown).count()).toBeGreaterThan(0));
      expect(await browser.faults(title.toLowerCase())).toEqual([]);
    });

    it('shows what the fleet does, as it does it', async () => {
      const { page } = browser;
      await browser.visit('/', 'Fleet');
      await page.getByRole('region', { name: 'Registered', exact: true }).getByRole('link').waitFor();
      for (const title of ['Values', 'Registrations', 'Commands', 'Dropped events'])
        await page.getByRole('img', { name: `${title}, per second, over the last hour` }).waitFor();
      // The figure beside the chart covers the last minute, and is read again every ten seconds.
      const values = page.getByRole('region', { name: 'Values', exact: true });
      await eventually(async () => expect(await values.textContent()).toMatch(/per second\d*\.?\d*[1-9]/));
      await page.getByText('live', { exact: true }).waitFor();
      await app.call('POST', '/v3/devices', { endpoint_name: 'seen-at-once', name: '' });
      await page.getByRole('link', { name: 'seen-at-once' }).first().waitFor();
    });

    it('catches up after a short time in the background, and leaves out what happened in a long one or while the computer slept', async () => {
      const { page } = browser;
      const newest = page.getByRole('group', { name: 'Newest events' });
      /** As the browser does when the person turns to another tab, or back. */
      const setHidden = async (isHidden: boolean): Promise<void> => {
        await page.evaluate(
          `void Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true })`,
        );
        await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
      };
      const hides = async (): Promise<void> => {
        await setHidden(true);
        await page.getByText('paused', { exact: true }).waitFor();
      };
      /** The entry behind which the stream continues. */
      const returns = async (): Promise<string | undefined> => {
        const stream = page.waitForRequest(/\/v3\/device-events\/stream/);
        await setHidden(false);
        return (await stream).headers()['last-event-id'];
      };

      await browser.visit('/', 'Fleet');
      await page.getByText('live', { exact: true }).waitFor();
      await create('in-sight');
      await newest.getByRole('link', { name: 'in-sight' }).first().waitFor();
      await hides();
      await create('short-pause');
      expect(await returns()).toEqual(expect.any(String));
      await newest.getByRole('link', { name: 'short-pause' }).first().waitFor();
      await hides();
      await create('long-pause');
      await page.evaluate('((now) => void (Date.now = () => now() + 3_600_000))(Date.now.bind(Date))');
      expect(await returns()).toBeUndefined();
      const names = ['long-pause', 'short-pause', 'in-sight'];
      await eventually(async () => {
        const rows = await newest.getByRole('listitem').allTextContents();
        expect(rows.flatMap((row) => names.filter((name) => row.includes(name)))).toEqual(names);
      });
      // The clock of a computer runs while it sleeps, and nothing tells the page that its connection has ended.
      await page.getByText('live', { exact: true }).waitFor();
      const afterSleep = page.waitForRequest(/\/v3\/device-events\/stream/);
      await page.evaluate('((now) => void (Date.now = () => now() + 3_600_000))(Date.now.bind(Date))');
      expect((await afterSleep).headers()['last-event-id']).toBeUndefined();
      await page.getByText('live', { exact: true }).waitFor();
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

    it('does not let devices of one search be ticked while those of the next one are being read', async () => {
      const { page } = browser;
      const isOff = (box: string) => page.getByLabel(box, { exact: true }).isDisabled();
      await browser.visit('/devices?search=sim-2', 'Devices');
      await page.getByText('5 devices', { exact: true }).waitFor();
      expect(await isOff('Select sim-2')).toBe(false);
      const { release } = await browser.hold('**/v3/devices?*');
      await page.getByLabel('Search', { exact: true }).fill(search);
      for (const box of ['Select sim-2', 'Select all devices that are loaded']) await eventually(() => isOff(box));
      expect(await page.getByRole('button', { name: 'Actions' }).isDisabled()).toBe(true);
      release();
      await page.getByLabel('Select sim-10', { exact: true }).check();
      await page.getByText('11 devices, 1 selected', { exact: true }).waitFor();
      await page.unroute('**/v3/devices?*');
    });

    it('shows a device that was created before the stream of events began', async () => {
      const [name, path] = ['before-the-stream', '**/v3/device-events/stream*'];
      const stream = await browser.hold(path);
      await browser.visit(`/devices?search=${name}`, 'Devices');
      await browser.page.getByText('No device matches').waitFor();
      await create(name);
      stream.release();
      await browser.page.getByRole('link', { name }).waitFor();
      await browser.page.unroute(path);
    });

    it('shows a device that comes while the stream of events is interrupted', async () => {
      const { page } = browser;
      const [name, path] = ['without-the-stream', '**/v3/device-events/stream*'];
      await page.route(path, (route) => route.fulfill({ status: 503 }));
      await browser.visit(`/devices?search=${name}`, 'Devices');
      await page.getByText('No device matches').waitFor();
      await create(name);
      await page.getByRole('link', { name }).waitFor();
      await page.unroute(path);
    });

    it('takes the digits of a link as text', async () => {
      const serial = '89490200001234567890';
      await app.call('POST', '/v3/devices', { endpoint_name: 'modem-0', serial_number: serial });
      await browser.visit(`/devices?serial_number=${serial}`, 'Devices');
      await browser.page.getByText(`serial_number = ${serial}`).waitFor();
      await browser.page.getByRole('link', { name: 'modem-0' }).waitFor();
      expect(browser.page.url()).toContain(`?serial_number=${serial}`);
    });

    it('says how many devices an action concerns before it is done, and when there is none', async () => {
      const path = '**/v3/device-suspensions';
      const dryRun = await browser.hold(path);
      await begin(`search=${search}`, 'Suspend');
      await dialog().getByRole('status', { name: 'Counting' }).waitFor();
      expect(await browser.violationsOfOpened()).toEqual([]);
      dryRun.release();
      await dialog().getByText('11 devices', { exact: true }).waitFor();
      await browser.page.unroute(path);
      expect(await browser.violationsOfOpened()).toEqual([]);
      await browser.photograph('devices-suspend');
      await dialog().getByRole('button', { name: 'Suspend 11 devices' }).click();
      await browser.page.getByText('11 devices have been suspended').waitFor();
      const suspended = async (): Promise<unknown> =>
        (await app.call('GET', '/v3/devices?lifecycle_status=blocked&include=total_count')).json.total_count;
      expect(await suspended()).toBe(11);
      await begin('lifecycle_status=blocked', 'Resume');
      await dialog().getByRole('button', { name: 'Resume 11 devices' }).click();
      await browser.page.getByText('11 devices have been resumed').waitFor();
      expect(await suspended()).toBe(0);
      await begin(`search=${search}`, 'Resume');
      await dialog().getByTitle('The action would not change any device.').waitFor();
    });

    it('does an action for the devices for which it was begun, also when the page shows another search by then', async () => {
      const { page } = browser;
      await begin(`search=${search}`, 'Suspend');
      await dialog().getByText('11 devices', { exact: true }).waitFor();
      // As the way back to another search of the page does.
      await page.evaluate("history.pushState(null, '', '/console/devices?search=sim-2')");
      await page.getByText('5 devices', { exact: true }).waitFor();
      await dialog().getByRole('button', { name: 'Suspend 11 devices' }).waitFor();
      expect(await dialog().getByText('11 devices', { exact: true }).count()).toBe(1);
      await page.keyboard.press('Escape');
      await dialog().waitFor({ state: 'detached' });
    });

    it('adds devices to a group, stops when it is told to, and removes them from it', async () => {
      const { page } = browser;
      const { json: group } = await app.call('POST', '/v3/device-groups', { name: 'Attic' });
      const members = async (): Promise<unknown> =>
        (await app.call('GET', `/v3/device-groups/${group.id}`)).json.devices_count;
      const add = async (n: number): Promise<void> => {
        await begin(`search=${search}`, 'Add to a group');
        await chooseGroup('Attic');
        await press(`Add ${n} devices`);
      };
      const { calls, release } = await browser.hold('**/devices/add');
      await add(11);
      await eventually(() => calls() > 0);
      await dialog().getByRole('button', { name: 'Stop' }).click();
      await dialog().getByText('The action stops after the devices that are being changed.').waitFor();
      release();
      await dialog().getByText('Stopped before the end').waitFor();
      const outcome = await dialog()
        .getByText(/^\d+ devices? (has|have) been added to the group\.$/)
        .textContent();
      await page.unroute('**/devices/add');
      const added = Number.parseInt(outcome ?? '', 10);
      expect(added).toBeLessThan(11);
      expect(await members()).toBe(added);
      await add(11 - added);
      await page.getByText(/have been added to the group/).waitFor();
      expect(await members()).toBe(11);

      await begin(`groups=${group.id}`, 'Remove from a group');
      await dialog().getByRole('button', { name: 'Remove 11 devices' }).click();
      await page.getByText('11 devices have been removed from the group').waitFor();
      expect(await members()).toBe(0);
      await app.call('DELETE', `/v3/device-groups/${group.id}`);
    });

    it('adds the other devices to a group when one is deleted meanwhile, and ends when the group is', async () => {
      const { page } = browser;
      const { json: group } = await app.call('POST', '/v3/device-groups', { name: 'Garage' });
      for (const name of ['leaving-1', 'leaving-2'])
        expect((await app.call('POST', '/v3/devices', { endpoint_name: name })).status).toBe(201);
      const add = async (): Promise<void> => {
        await begin('search=leaving-', 'Add to a group');
        await chooseGroup('Garage');
        await press(/^Add \d devices?$/);
      };
      const first = await browser.hold('**/devices/add');
      await add();
      await eventually(() => first.calls() === 2);
      const path = `/v3/devices/${await app.deviceId('leaving-1')}`;
      expect((await app.call('DELETE', path)).status).toBe(204);
      first.release();
      await dialog().getByText('1 device has been added to the group.').waitFor();
      expect(await dialog().getByRole('alert').count()).toBe(0);
      await page.unroute('**/devices/add');

      const members = `/v3/device-groups/${group.id}/devices/remove`;
      const body = { device_id: await app.deviceId('leaving-2') };
      expect((await app.call('POST', members, body)).status).toBe(204);
      const second = await browser.hold('**/devices/add');
      await add();
      await eventually(() => second.calls() === 1);
      expect((await app.call('DELETE', `/v3/device-groups/${group.id}`)).status).toBe(204);
      second.release();
      await dialog().getByRole('alert').getByText('No such device group in this account.').first().waitFor();
      await page.unroute('**/devices/add');
      expect((await app.call('DELETE', `/v3/devices/${body.device_id}`)).status).toBe(204);
    });

    it('asks before the page is left while an action runs, which stops or continues as the person chooses', async () => {
      const { page } = browser;
      const { json: group } = await app.call('POST', '/v3/device-groups', { name: 'Loft' });
      const members = async (): Promise<unknown> =>
        (await app.call('GET', `/v3/device-groups/${group.id}`)).json.devices_count;
      const question = dialog('Leave this page?');
      /** The console loads no document between the two pages, so that the way back stays within it. */
      const add = async (n: number): Promise<void> => {
        await browser.visit('/', 'Fleet');
        await page.getByRole('link', { name: 'Devices', exact: true }).click();
        await page.getByRole('heading', { level: 1, name: 'Devices' }).waitFor();
        await page.getByLabel('Search', { exact: true }).fill(search);
        await page.getByText('11 devices', { exact: true }).waitFor();
        await choose('Actions', 'Add to a group');
        await chooseGroup('Loft');
        await press(`Add ${n} devices`);
      };

      const left = await browser.hold('**/devices/add');
      await add(11);
      await eventually(() => left.calls() > 0);
      await page.evaluate('history.back()');
      await question.getByText('0 of 11 devices are done, 11 are left.').waitFor();
      expect(await browser.violationsOfOpened()).toEqual([]);
      await browser.photograph('devices-leave');
      await question.getByRole('button', { name: 'Leave' }).click();
      await page.getByRole('heading', { level: 1, name: 'Fleet' }).waitFor();
      left.release();
      // Only the calls that had begun took effect.
      await eventually(async () => expect(await members()).toBe(left.calls()));
      await page.unroute('**/devices/add');
      const rest = 11 - left.calls();
      expect(rest).toBeGreaterThan(0);

      const stayed = await browser.hold('**/devices/add');
      await add(rest);
      await eventually(() => stayed.calls() > 0);
      await page.evaluate('history.back()');
      await question.getByText(`0 of ${rest} devices are done, ${rest} are left.`).waitFor();
      await question.getByRole('button', { name: 'Stay' }).and(page.locator(':focus')).waitFor();
      await page.keyboard.press('Enter');
      await question.waitFor({ state: 'detached' });
      const asked = page.waitForEvent('dialog');
      await page.evaluate('void setTimeout(() => location.reload())');
      const ofBrowser = await asked;
      expect(ofBrowser.type()).toBe('beforeunload');
      await ofBrowser.dismiss();
      stayed.release();
      await page.getByText(`${rest} devices have been added to the group`).waitFor();
      expect(await members()).toBe(11);
      await page.unroute('**/devices/add');
      expect(new URL(page.url()).pathname).toBe('/console/devices');
      await app.call('DELETE', `/v3/device-groups/${group.id}`);
    });

    it('saves filters under a name, sets them again, and deletes them', async () => {
      const { page } = browser;
      await browser.visit('/devices?search=sim-2&state=registered', 'Devices');
      await choose('Saved queries', 'Save the current filters');
      await dialog().getByLabel('Name').fill('Twos');
      await dialog().getByRole('button', { name: 'Save' }).click();
      await dialog().waitFor({ state: 'detached' });
      await browser.visit('/devices', 'Devices');
      await page.getByRole('button', { name: 'Saved queries' }).click();
      await page.getByRole('menuitem', { name: 'Twos' }).waitFor();
      // Typed right before the query is chosen, and waited for until the text would be applied.
      await page.evaluate(`new Promise((resolve) => {
        const field = document.querySelector('input[placeholder^="Name, endpoint name"]');
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, 'late');
        field.dispatchEvent(new Event('input', { bubbles: true }));
        [...document.querySelectorAll('[role=menuitem]')].find(({ textContent }) => textContent === 'Twos').click();
        setTimeout(resolve, 500);
      })`);
      await page.getByText('5 devices', { exact: true }).waitFor();
      expect(await page.getByLabel('Search', { exact: true }).inputValue()).toBe('sim-2');
      await choose('Saved queries', 'Manage saved queries');
      await dialog().getByText('search = sim-2, state = registered').waitFor();
      expect(await browser.violationsOfOpened()).toEqual([]);
      const remove = page.getByRole('button', { name: 'Delete the query Twos' });
      const question = dialog(/^Delete the query/);
      await remove.click();
      await question.waitFor();
      // Closes one of the two dialogs; the focus returns to where it was.
      await page.keyboard.press('Escape');
      await question.waitFor({ state: 'detached' });
      await remove.and(page.locator(':focus')).waitFor();
      await remove.click();
      await question.getByRole('button', { name: 'Delete', exact: true }).click();
      await dialog().getByText('No queries are saved').waitFor();
      expect((await app.call('GET', '/v3/device-queries')).json.data).toEqual([]);
    });

    it('shows the columns that were chosen, also the next time', async () => {
      const { page } = browser;
      const column = page.getByRole('columnheader', { name: 'Serial number' });
      await browser.visit('/devices', 'Devices');
      await page.getByRole('link', { name: 'sim-0', exact: true }).waitFor();
      expect(await column.count()).toBe(0);
      await page.getByRole('button', { name: 'Columns' }).click();
      await dialog().getByLabel('Serial number').check();
      await column.waitFor();
      await browser.visit('/devices', 'Devices');
      await column.waitFor();
    });

    it('exports what the filters find, or what is ticked', async () => {
      const { page } = browser;
      const exported = async (item: string): Promise<string[]> => {
        const download = page.waitForEvent('download');
        await choose('Actions', item);
        return readFileSync(await (await download).path(), 'utf8')
          .trim()
          .split('\r\n');
      };
      await browser.visit(`/devices?search=${search}`, 'Devices');
      const [head, ...rows] = await exported('Export 11 as CSV');
      expect(head).toContain('endpoint_name');
      expect(rows).toHaveLength(11);
      expect(rows.filter((row) => !row.includes(search))).toEqual([]);
      for (const name of ['sim-10', 'sim-11']) await page.getByLabel(`Select ${name}`).check();
      expect(await exported('Export 2 as CSV')).toHaveLength(3);
    });

    it('says that a file cannot be read any more, which was chosen for an import', async () => {
      const file = join(mkdtempSync(join(tmpdir(), 'lanyard-console-')), 'gone.csv');
      writeFileSync(file, 'endpoint_name\nnever-imported\n');
      await browser.visit('/devices', 'Devices');
      await browser.page.getByRole('button', { name: 'Import' }).click();
      await browser.page.locator('input[type=file]').setInputFiles(file);
      await dialog().getByText('gone.csv').waitFor();
      rmSync(file);
      await dialog().getByRole('button', { name: 'Start the import' }).click();
      await dialog().getByRole('alert').getByText('The file cannot be read').waitFor();
    });

    it('imports devices and shows the errors by row, also when its dialog was closed', async () => {
      await browser.visit('/devices', 'Devices');
      await browser.page.getByRole('button', { name: 'Import' }).click();
      await dialog().getByText('None in the last 30 days.').waitFor();
      await browser.page.locator('input[type=file]').setInputFiles({
        name: 'new.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from('endpoint_name,endpoint_type\nimported-1,meter\nimported-1,meter\n'),
      });
      await browser.page.getByRole('button', { name: 'Start the import' }).click();
      await browser.page.getByText('1 row has an error').waitFor();
      await dialog().getByRole('cell', { name: 'imported-1', exact: true }).first().waitFor();
      expect(await browser.violationsOfOpened()).toEqual([]);
      await browser.photograph('devices-import');
      await dialog().getByRole('button', { name: 'Close' }).last().click();
      await browser.page.getByRole('button', { name: 'Import' }).click();
      await dialog().getByRole('button', { name: 'new.csv' }).click();
      await browser.page.getByText('2 of 2 rows done, 1 device created.').waitFor();
      await browser.page.getByText('1 row has an error').waitFor();
    });
  });
