import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Console } from './console.ts';

const text = '/3306/0/5750';

/** A person without a mouse. */
export const describeKeyboard = (running: () => Console): void =>
  describe('the keyboard alone', () => {
    let app: Console['app'];
    let browser: Console['browser'];

    beforeAll(() => {
      ({ app, browser } = running());
    });

    it('finds a device, writes a value and suspends it', async () => {
      const { page } = browser;
      const press = (key: string) => page.keyboard.press(key);
      const id = await app.deviceId('sim-2');
      // Values that were read before are listed.
      await app.lanyard.read(id, text);
      await browser.visit('/', 'Fleet');
      await browser.tabTo(page.getByRole('link', { name: 'Devices', exact: true }));
      await press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Devices' }).waitFor();
      await browser.tabTo(page.getByLabel('Search'));
      await page.keyboard.type('sim-2');
      await page.getByText('5 devices').waitFor();
      await browser.tabTo(page.getByRole('link', { name: 'sim-2', exact: true }));
      await press('Enter');
      await page.getByRole('heading', { level: 1, name: 'sim-2' }).waitFor();
      await browser.tabTo(page.getByRole('button', { name: text }));
      await press('Enter');
      // The panel of the resource comes before the resources.
      await browser.tabTo(page.getByLabel(/^Value/), 'Shift+Tab');
      await page.keyboard.type('written by keyboard');
      await press('Enter');
      await browser.says('status', /^Written/);
      await browser.tabTo(page.getByRole('button', { name: 'Suspend' }), 'Shift+Tab');
      await press('Enter');
      const dialog = page.getByRole('dialog');
      await dialog.waitFor();
      await browser.tabTo(dialog.getByRole('button', { name: 'Suspend' }));
      await press('Enter');
      // The button that opened the dialog has the focus again.
      await page.getByRole('button', { name: 'Resume' }).and(page.locator(':focus')).waitFor();
      const { json } = await app.call('GET', `/v3/devices/${id}`);
      expect(json).toMatchObject({ lifecycle_status: 'blocked' });
      await app.call('POST', `/v3/devices/${id}/resume`, { category: 'maintenance' });
    });
  });
