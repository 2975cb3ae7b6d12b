import { CallbackReceiver, eventually } from '@lanyard/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Console } from './console.ts';

/** The channels of an account, seen by an administrator with another key. */
export const describeChannels = (running: () => Console): void =>
  describe('the channels', () => {
    let app: Console['app'];
    let browser: Console['browser'];
    let receiver: CallbackReceiver;
    let key: string;

    beforeAll(async () => {
      ({ app, browser } = running());
      receiver = await new CallbackReceiver().start();
      const meters = await app.another('Meter backend');
      ({ key } = meters);
      await meters.call('PUT', '/v2/notification/callback', { url: `${receiver.url}?token=hidden` });
    });
    afterAll(() => receiver?.stop());

    const visitChannel = async (): Promise<void> => {
      await browser.turnTo('/channels', 'Channels');
      await browser.page.getByRole('link', { name: 'Meter backend' }).click();
      await browser.page.getByRole('heading', { level: 1, name: 'Channel of Meter backend' }).waitFor();
    };

    it('are listed with their state, and say nothing of credentials in a URL', async () => {
      await browser.visit('/channels', 'Channels');
      await browser.page.getByText('delivering').first().waitFor();
      expect(await browser.page.getByText('hidden').count()).toBe(0);
    });

    it('are tested from their page, and say why a test failed', async () => {
      await visitChannel();
      await browser.page.getByRole('button', { name: 'Send a test message' }).click();
      await browser.page.getByText('The receiver accepted the test message').waitFor();
      receiver.answer(500);
      await browser.page.getByRole('button', { name: 'Send a test message' }).click();
      await browser.page.getByText('The receiver did not accept the test message').waitFor();
      await browser.page.getByText('Result: status 500.').waitFor();
      // Early, because each event that is refused meanwhile makes the next test wait longer.
      receiver.answer(200);
      const message = 'The channel cannot be tested.';
      const refusal = { object: 'error', code: 404, type: 'not_found', message, request_id: 'r-1' };
      const isOfTest = (url: URL): boolean => url.pathname.endsWith('/test');
      await browser.page.route(isOfTest, (route) => route.fulfill({ status: 404, json: refusal }));
      await browser.page.getByRole('button', { name: 'Send a test message' }).click();
      await browser.page.getByRole('alert').getByText(message).waitFor();
      // It belongs to the test before.
      expect(await browser.page.getByText('The receiver did not accept the test message').count()).toBe(0);
      await browser.page.unroute(isOfTest);
      expect(await browser.violations()).toEqual([]);
    });

    it('show their last messages, with what came of them, as text', async () => {
      const id = await app.deviceId('sim-3');
      await app.as(key).call('PUT', `/v2/subscriptions/${id}/3303/0/5700`);
      await visitChannel();
      await browser.page.getByRole('cell', { name: 'accepted' }).first().waitFor();
      await browser.shows(/^\{"(notifications|async-responses)":\[\{/);
      expect(await browser.faults('channel-messages')).toEqual([]);
    });

    it('need attention when they fail, and say when events will be lost', async () => {
      const { page } = browser;
      const attention = page.getByRole('region', { name: 'Needs attention' });
      receiver.answer(500);
      // The page asks every 30 s.
      await eventually(async () => {
        const { json } = await app.call('GET', '/v3/attention/failing-channels');
        expect(json.data).toHaveLength(1);
      });
      await browser.turnTo('/', 'Fleet');
      await attention.getByText('Failing channels', { exact: true }).waitFor();
      await attention.getByText(/The callback has failed \d+ times? in a row/).waitFor();
      expect(await browser.violations()).toEqual([]);
      await attention.getByRole('link', { name: 'Open the channel' }).click();
      await page.getByRole('heading', { level: 1, name: 'Channel of Meter backend' }).waitFor();
      await page.getByText(/^The channel has not delivered since /).waitFor();
      await page.getByText(/If nothing changes, events will be lost from .+ on\./).waitFor();
      expect(await browser.faults('channel-failing')).toEqual([]);
      await browser.turnTo('/channels', 'Channels');
      await page.getByRole('cell', { name: /^from / }).waitFor();
      receiver.answer(200);
      await page.getByText('delivering').first().waitFor();
    });

    it('get one signing secret, which is shown once and not lost while it is created, and lose it again', async () => {
      const { page } = browser;
      const question = page.getByRole('dialog', { name: 'Leave this page?' });
      await visitChannel();
      const { calls, release } = await browser.hold('**/signing-secrets', 'POST');
      await page.getByRole('button', { name: 'Create a secret' }).waitFor();
      // Two clicks while the page is busy: it handles both before it draws what the first one has begun.
      await page.evaluate(`(() => {
        const buttons = [...document.querySelectorAll('button')];
        const button = buttons.find(({ textContent }) => textContent === 'Create a secret');
        button.click();
        button.click();
      })()`);
      await eventually(() => calls() > 0);
      await page.getByRole('link', { name: 'Channels', exact: true }).click();
      await question.getByText('The secret is shown only once').waitFor();
      expect(await browser.violationsOfOpened()).toEqual([]);
      await question.getByRole('button', { name: 'Stay' }).click();
      await question.waitFor({ state: 'detached' });
      release();
      await browser.says('dialog', /^whsec_/);
      await page.unroute('**/signing-secrets');
      const { json: secrets } = await app.call('GET', `/v3/channels/${page.url().split('/').at(-1)}/signing-secrets`);
      expect(secrets.data).toHaveLength(1);
      await browser.page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
      await browser.page.getByRole('button', { name: /^Delete the signing secret \S+$/ }).click();
      await browser.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await browser.page.getByText('Messages are not signed').waitFor();
    });

    it('say where an application is connected from, as long as it is', async () => {
      const { page } = browser;
      const dashboard = await app.another('Live dashboard');
      await dashboard.connects();
      try {
        await browser.visit('/channels', 'Channels');
        await page.getByText('connected from 127.0.0.1').waitFor();
        expect(await browser.faults('channels-connected')).toEqual([]);
        await page.getByRole('link', { name: 'Live dashboard' }).click();
        await page.getByRole('row', { name: 'Connected from 127.0.0.1' }).waitFor();
        dashboard.closes();
        await page.getByText('not connected').waitFor();
        await page.getByRole('row', { name: 'Connected from' }).waitFor({ state: 'detached' });
      } finally {
        dashboard.closes();
        // Its queue would appear under what needs attention.
        await dashboard.call('DELETE', '/v2/notification/websocket');
      }
    });
  });
