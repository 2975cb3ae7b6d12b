import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import type { Console } from './console.ts';

/** Lists that are turned over. */
export const describeLists = (running: () => Console): void =>
  describe('a list of several pages', () => {
    let app: Console['app'];
    let browser: Console['browser'];

    beforeAll(() => {
      ({ app, browser } = running());
    });

    it('leads back from a page that cannot be read, and from one whose rows are gone', async () => {
      const { page } = browser;
      const message = 'The second page cannot be read.';
      const refusal = { object: 'error', code: 404, type: 'not_found', message, request_id: 'r-1' };
      const isOfKeys = (url: URL): boolean => url.pathname === '/v3/api-keys';
      let isRefused = true;
      await page.route(isOfKeys, async (route) => {
        const isFirst = !new URL(route.request().url()).searchParams.has('after');
        if (!isFirst && isRefused) return route.fulfill({ status: 404, json: refusal });
        const response = await route.fetch();
        const list = (await response.json()) as object;
        return route.fulfill({ response, json: { ...list, ...(isFirst ? { has_more: true } : { data: [] }) } });
      });
      const keys = page.getByRole('region', { name: 'API keys' });
      const key = keys.getByRole('cell', { name: /^First administrator/ });
      const turn = (name: 'Next' | 'Previous') => keys.getByRole('button', { name, exact: true }).click();
      await browser.visit('/keys', 'Keys');
      await key.waitFor();
      await turn('Next');
      await keys.getByRole('alert').getByText(message).waitFor();
      expect(await browser.violations()).toEqual([]);
      await turn('Previous');
      await key.waitFor();
      isRefused = false;
      await turn('Next');
      await keys.getByText('The list ends before this page.').waitFor();
      expect(await keys.getByText('There are no keys.').count()).toBe(0);
      await turn('Previous');
      await key.waitFor();
      await page.unroute(isOfKeys);
    });

    it('keeps a dialog that a row opened, with its input, when the list is read again without that row', async () => {
      const { page } = browser;
      const dialog = page.getByRole('dialog');
      const { json: group } = await app.call('POST', '/v3/device-groups', { name: 'Shed' });
      const path = `/v3/device-groups/${group.id}`;
      const isOfGroups = (url: URL): boolean => url.pathname === '/v3/device-groups';
      await browser.visit('/groups', 'Groups');
      await page.getByRole('button', { name: 'Change the group Shed' }).click();
      await dialog.getByLabel('Description').fill('behind the house');
      // As if a page of other groups came before it now.
      await page.route(isOfGroups, async (route) => {
        const response = await route.fetch();
        const list = (await response.json()) as { data: { id: string }[] };
        return route.fulfill({ response, json: { ...list, data: list.data.filter(({ id }) => id !== group.id) } });
      });
      // The page comes into sight two minutes later, and reads the list again.
      await page.evaluate(
        "((now) => { Date.now = () => now() + 120_000; dispatchEvent(new Event('visibilitychange')); })(Date.now.bind(Date))",
      );
      await page.getByRole('link', { name: 'Shed', exact: true }).waitFor({ state: 'detached' });
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'detached' });
      expect((await app.call('GET', path)).json).toMatchObject({ description: 'behind the house' });
      await page.unroute(isOfGroups);
      expect((await app.call('DELETE', path)).status).toBe(204);
    });

    it('is not taken for empty by a dialog that offers its records, but cannot read it', async () => {
      const { page } = browser;
      const dialog = page.getByRole('dialog');
      const message = 'The packages cannot be read.';
      const refusal = { object: 'error', code: 404, type: 'not_found', message, request_id: 'r-1' };
      const isOfChoices = (url: URL): boolean =>
        url.pathname === '/v3/firmware-images' && url.searchParams.get('limit') === '1000';
      await page.route(isOfChoices, (route) => route.fulfill({ status: 404, json: refusal }));
      await browser.visit('/campaigns', 'Campaigns');
      await page.getByRole('button', { name: 'Create a campaign' }).click();
      await dialog.getByText('The choices cannot be read at the moment.').waitFor();
      expect(await dialog.getByTitle('Upload a package first.').count()).toBe(0);
      expect(await browser.violationsOfOpened()).toEqual([]);
      await page.unroute(isOfChoices);
    });

    it('has the imports of devices, also those that are not among the newest', async () => {
      const { page } = browser;
      const dialog = page.getByRole('dialog');
      const named = (name: string) => dialog.getByRole('button', { name, exact: true });
      for (const n of [0, 1, 2, 3, 4, 5]) {
        const table = `endpoint_name\nimported-part-${n}\n`;
        const path = `/v3/device-imports?name=part-${n}`;
        expect((await app.call('POST', path, table, { 'content-type': 'text/csv' })).status).toBe(202);
      }
      await browser.visit('/devices', 'Devices');
      await page.getByRole('button', { name: 'Import' }).click();
      await named('part-5').waitFor();
      expect(await named('part-0').count()).toBe(0);
      await named('Next').click();
      await named('part-0').click();
      await dialog.getByText('1 of 1 row done, 1 device created.').waitFor();
    });

    it('of devices begins at its first row in another order', async () => {
      const { page } = browser;
      const scrolled = () => page.evaluate<number>("document.querySelector('.device-list').scrollTop");
      await browser.visit('/devices', 'Devices');
      await page.getByRole('link', { name: 'sim-0', exact: true }).waitFor();
      await page.evaluate("void document.querySelector('.device-list').scrollTo(0, 10_000)");
      await eventually(async () => expect(await scrolled()).toBeGreaterThan(0));
      await page.getByText('Newest first', { exact: true }).click();
      await eventually(async () => expect(await scrolled()).toBe(0));
    });
  });
