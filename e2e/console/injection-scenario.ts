import { CallbackReceiver } from '@lanyard/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Console, script } from './console.ts';

const created = `API key created: ${script}`;

/** Places where other users' text is shown; `:id` is the key with the name. */
const shown: [what: string, path: string, title: string, text: string][] = [
  ['a device name', '/devices?search=injected', 'Devices', script],
  ['event text', '/', 'Fleet', created],
  ['event text of the audit', '/account', 'Account', created],
  ['the name of a device group', '/groups', 'Groups', script],
  ['the name of a key and of its group', '/keys', 'Keys', script],
  ['the key of a channel', '/channels', 'Channels', script],
  ['a channel', '/channels/:id', `Channel of ${script}`, 'Registered'],
  ['the name of a campaign and of a package', '/campaigns', 'Campaigns', script],
  ['the name of a bootstrap profile', '/bootstrap', 'Bootstrap', script],
];

/** People and programs choose names, URLs, and the texts about them in the event log. */
export const describeInjection = (running: () => Console): void =>
  describe('text that looks like a script', () => {
    let browser: Console['browser'];
    let receiver: CallbackReceiver;
    let keyId: string;

    beforeAll(async () => {
      const { app } = running();
      ({ browser } = running());
      receiver = await new CallbackReceiver().start();
      const name = script;
      const create = async (path: string, body: object): Promise<{ id: string; key: string }> => {
        const { status, json } = await app.call('POST', path, body);
        expect(status).toBe(201);
        return json as { id: string; key: string };
      };
      const { id: groupId } = await create('/v3/device-groups', { name, description: name });
      const { id: group } = await create('/v3/policy-groups', { name, permissions: ['notifications'] });
      const { id, key } = await create('/v3/api-keys', { name, groups: [group] });
      keyId = id;
      const url = `${receiver.url}/${script}?${script}#${script}`;
      expect((await app.as(key).call('PUT', '/v2/notification/callback', { url })).status).toBe(200);
      const images = `/v3/firmware-images?${new URLSearchParams({ version: '<b>2</b>', name })}`;
      const { id: image } = await create(images, Buffer.from('new'));
      // Another test has a campaign of this name.
      const campaign = { name: `${name} 2`, firmware_image_id: image, filter: 'endpoint_name=absent' };
      await create('/v3/update-campaigns', campaign);
      const profile = { scope: 'group', group_id: groupId, server_uri: 'coaps://127.0.0.1:5684', lifetime_seconds: 60 };
      await create('/v3/bootstrap-profiles', { name, description: name, ...profile });
      // The only load of the document: each test turns to a page of which nothing was read in it before.
      await browser.visit('/certificates', 'Certificates');
    });
    afterAll(() => receiver?.stop());

    it.each(shown)('stays text: %s', async (_, path, title, text) => {
      await browser.turnTo(path.replace(':id', keyId), title);
      await browser.page.getByText(text).first().waitFor();
      expect(await browser.tookTextForHtml()).toBe(false);
    });

    it('stays text in what a dialog says, and in the URL of a channel that fails', async () => {
      const { page } = browser;
      await browser.turnTo('/keys', 'Keys');
      await page.getByRole('button', { name: `Change ${script}`, exact: true }).click();
      await page.getByRole('dialog').getByText(`Change the key ${script}`).waitFor();
      expect(await browser.tookTextForHtml()).toBe(false);
      receiver.answer(500);
      await browser.turnTo(`/channels/${keyId}`, `Channel of ${script}`);
      await page.getByRole('cell', { name: new URL(receiver.url).origin }).waitFor();
      await page.getByRole('button', { name: 'Send a test message' }).click();
      await page.getByText('Result: status 500.').waitFor();
      expect(await browser.tookTextForHtml()).toBe(false);
    });
  });
