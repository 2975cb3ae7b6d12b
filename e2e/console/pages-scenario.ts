import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Console, script } from './console.ts';

/** Pages of what surrounds the devices. */
export const describePages = (running: () => Console): void =>
  describe('the other pages', () => {
    let app: Console['app'];
    let browser: Console['browser'];

    beforeAll(() => {
      ({ app, browser } = running());
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
      expect(await browser.faults(title.toLowerCase())).toEqual([]);
    });

    it('says what a campaign would select, and shows its name as text', async () => {
      const { json: image } = await app.call(
        'POST',
        '/v3/firmware-images?version=2.0.0&name=image',
        Buffer.from('new'),
      );
      const { json } = await app.call('POST', '/v3/update-campaigns', {
        name: script,
        firmware_image_id: image.id,
        filter: 'endpoint_name=absent',
      });
      await browser.visit(`/campaigns/${json.id}`, script);
      await browser.page.getByRole('button', { name: 'Try the selection' }).click();
      await browser.page.getByText('0 devices would be selected').waitFor();
      expect(await browser.page.evaluate("'wasRun' in window")).toBe(false);
      expect(await browser.faults('campaign')).toEqual([]);
    });
  });
