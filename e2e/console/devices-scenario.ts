import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import { Simulator } from '../../tools/testing/simulator.ts';
import type { Console } from './console.ts';

const pages: [path: string, title: string, shown: RegExp][] = [
  ['/', 'Fleet', /registered/],
  ['/devices', 'Devices', /sim-0/],
];

/** The fleet and its devices. */
export const describeDevices = (running: () => Console): void =>
  describe('the fleet and its devices', () => {
    let system: Console['system'];
    let app: Console['app'];
    let browser: Console['browser'];

    beforeAll(() => {
      ({ system, app, browser } = running());
    });

    it.each(pages)('%s has no fault that axe finds, at any width, light and dark', async (path, title, shown) => {
      await browser.visit(path, title);
      await eventually(async () => expect(await browser.page.getByText(shown).count()).toBeGreaterThan(0));
      expect(await browser.faults(title.toLowerCase())).toEqual([]);
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
  });
