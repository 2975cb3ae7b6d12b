import { OidcProcess } from '@lanyard/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Console } from './console.ts';

/** People who sign in with the provider of their organisation. */
export const describeSignIn = (running: () => Console): void =>
  describe('signing in with OpenID Connect', () => {
    let system: Console['system'];
    let app: Console['app'];
    let browser: Console['browser'];
    let provider: OidcProcess;

    beforeAll(async () => {
      ({ system, app, browser } = running());
      provider = await OidcProcess.start(`${system.baseUrl}/v3/session/oidc/callback`);
      const permissions = ['devices', 'notifications'];
      const { json: group } = await app.call('POST', '/v3/policy-groups', { name: 'Operators', permissions });
      Object.assign(system.options.env ?? {}, {
        GATEWAY_OIDC_ISSUER: provider.issuer,
        GATEWAY_OIDC_CLIENT_ID: 'lanyard',
        GATEWAY_OIDC_CLIENT_SECRET: 'a-secret-of-the-client',
        GATEWAY_OIDC_SCOPES: 'openid profile email groups',
        GATEWAY_OIDC_ROLES: `ops=${group.id}`,
        GATEWAY_OIDC_NAME: 'Test provider',
      });
      await system.restart('gateway-0');
    });
    afterAll(() => provider?.stop());

    const leadsToProvider = () => browser.page.getByRole('link', { name: 'Sign in with Test provider' });

    it('leads through the provider to the page that was asked for, and says who one is', async () => {
      const { page } = browser;
      await provider.setUser('ada', { name: 'Ada', email: 'ada@example.com', groups: ['ops'] });
      await page.context().clearCookies();
      await page.goto(`${system.baseUrl}/console/devices?state=registered`);
      await leadsToProvider().waitFor();
      expect(await browser.faults('sign-in-provider')).toEqual([]);
      await leadsToProvider().click();
      await page.getByRole('heading', { level: 1, name: 'Devices' }).waitFor();
      expect(page.url()).toContain('state=registered');
      await page.getByRole('button', { name: 'Account: Ada' }).waitFor();
      await browser.shows(/^sim-\d+$/);
    });

    it('says that the session has ended, and continues on the same page', async () => {
      const { page } = browser;
      await page.getByLabel('Search').fill('sim-1');
      await page.waitForURL(/search=sim-1/);
      const { json } = await app.call('GET', '/v3/users');
      const [ada] = json.data as { id: string }[];
      expect((await app.call('POST', `/v3/users/${ada?.id}/sign-out`)).status).toBe(204);
      // The page reads the list again after each event.
      expect((await app.call('POST', '/v3/devices', { endpoint_name: 'sim-100' })).status).toBe(201);
      await page.getByText('Your session has ended').waitFor();
      expect(await browser.violations()).toEqual([]);
      await browser.photograph('session-ended');
      await leadsToProvider().click();
      await page.getByRole('heading', { level: 1, name: 'Devices' }).waitFor();
      expect(page.url()).toContain('search=sim-1');
    });

    it('names the person in the audit', async () => {
      const { page } = browser;
      await browser.signIn(system.adminKey);
      await page.getByRole('heading', { level: 1, name: 'Fleet' }).waitFor();
      await browser.visit('/account', 'Account');
      await page
        .getByRole('cell', { name: /^Ada(,|$)/ })
        .first()
        .waitFor();
    });

    it.each([
      ['no_role', 'cyd', { name: 'Cyd', groups: ['others'] }, 'You have no role in Lanyard'],
      ['denied', null, undefined, 'The sign-in was cancelled'],
    ])('says why a sign-in was refused: %s', async (_, who, claims, text) => {
      const { page } = browser;
      await provider.setUser(who, claims);
      await page.context().clearCookies();
      await page.goto(`${system.baseUrl}/console`);
      await leadsToProvider().click();
      await page.getByText(text).waitFor();
      await page.getByText(/^Request /).waitFor();
    });
  });
