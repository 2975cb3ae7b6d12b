import { beforeAll, describe, expect, it } from '@jest/globals';
import { dialogViews } from './console-browser.ts';
import type { Console } from './console.ts';

/** The path and the button that open each dialog and menu; `:id` is the device sim-0. */
const opened: [path: string, button: string, role: 'dialog' | 'menu'][] = [
  ['/', 'Account: First administrator', 'menu'],
  ['/devices', 'Import', 'dialog'],
  ['/devices', 'Columns', 'dialog'],
  ['/devices', 'Actions', 'menu'],
  ['/devices', 'Saved queries', 'menu'],
  ['/devices/:id', 'Suspend', 'dialog'],
  ['/devices/:id?tab=credentials', 'Create a credential', 'dialog'],
  ['/devices/:id?tab=radio', 'Change the radio settings', 'dialog'],
  ['/groups', 'Create a group', 'dialog'],
  ['/bootstrap', 'Create a profile', 'dialog'],
  ['/certificates', 'Add a certificate', 'dialog'],
  ['/campaigns', 'Upload a package', 'dialog'],
  ['/campaigns', 'Create a campaign', 'dialog'],
  ['/keys', 'Create a group', 'dialog'],
  ['/keys', 'Create a key', 'dialog'],
  ['/keys', 'Change First administrator', 'dialog'],
  ['/keys', 'Rotate the secret of First administrator', 'dialog'],
  ['/keys', 'Change the group Administrators', 'dialog'],
  ['/account', 'Change the value history', 'dialog'],
];

/** Dialogs and menus that open above a page. */
export const describeDialogs = (running: () => Console): void =>
  describe('dialogs and menus', () => {
    let browser: Console['browser'];
    let deviceId: string;
    /** Path of the open page; empty after a test that failed. */
    let current = '';

    beforeAll(async () => {
      ({ browser } = running());
      deviceId = await running().app.deviceId('sim-0');
    });

    /** Closes what the previous test opened. Returns whether only its page is left; otherwise the console must be loaded. */
    const closes = async (): Promise<boolean> => {
      if (current === '') return false;
      await browser.page.keyboard.press('Escape');
      return (await browser.page.locator('[role=dialog], [role=menu]').count()) === 0;
    };

    it.each(opened)('%s, %s: no fault that axe finds, narrow and wide, light and dark', async (path, button, role) => {
      const before = (await closes()) ? current : '';
      current = '';
      const place = path.replace(':id', deviceId);
      if (before === '') await browser.visit(place, /./);
      // The button is on no page that comes before its own.
      else if (before !== path) await browser.turnTo(place, /./);
      await browser.page.getByRole('button', { name: button, exact: true }).click();
      await browser.page.getByRole(role).waitFor();
      const name = `${role} ${button.toLowerCase()}`.replaceAll(/\W+/g, '-');
      expect(await browser.faults(name, dialogViews)).toEqual([]);
      current = path;
    });

    it('leave a number empty that is deleted, and are not submitted without one', async () => {
      const { page } = browser;
      const dialog = page.getByRole('dialog');
      const hours = dialog.getByLabel('For how many hours');
      const refusal = dialog.getByTitle('Enter both numbers.');
      await browser.visit('/account', 'Account');
      await page.getByRole('button', { name: 'Change the value history' }).click();
      await hours.fill('');
      await refusal.waitFor();
      expect(await hours.inputValue()).toBe('');
      await hours.pressSequentially('5');
      await refusal.waitFor({ state: 'detached' });
      expect(await hours.inputValue()).toBe('5');
    });
  });
