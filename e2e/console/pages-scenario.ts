import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { certificateAuthority, eventually } from '@lanyard/testing';
import { dialogViews, narrowOnly } from './console-browser.ts';
import { type Console, script } from './console.ts';

/** Pages about everything except devices. */
export const describePages = (running: () => Console): void =>
  describe('the other pages', () => {
    let app: Console['app'];
    let browser: Console['browser'];

    beforeAll(() => {
      ({ app, browser } = running());
    });

    const dialog = () => browser.page.getByRole('dialog');

    const confirm = (name: string) => dialog().getByRole('button', { name, exact: true }).click();

    /** Presses the Escape key, and clicks beside the dialog. */
    const leave = async (): Promise<void> => {
      await browser.page.keyboard.press('Escape');
      await browser.page.mouse.click(1, 1);
    };

    /** Submits the dialog and presses the Escape key, before the page is drawn with the change that has begun. */
    const submitAndEscape = (): Promise<void> =>
      browser.page.evaluate(`(async () => {
        const form = document.querySelector('[role=dialog] form');
        form.requestSubmit();
        await undefined;
        form.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
      })()`);

    /** From the moment when the dialog shows that its change is under way. */
    const cannotLeave = async (): Promise<void> => {
      const buttons = ['Cancel', 'Close'].map((name) => dialog().getByRole('button', { name, exact: true }));
      for (const button of buttons) await eventually(() => button.isDisabled());
      await leave();
      for (const button of buttons) expect(await button.isDisabled()).toBe(true);
    };

    it.each([
      ['/account', 'Account', 'no limit'],
      ['/keys', 'Keys', 'First administrator'],
    ])('%s has no fault that axe finds, at any width, light and dark', async (path, title, shown) => {
      await browser.visit(path, title);
      await browser.page.getByText(shown).first().waitFor();
      expect(await browser.faults(title.toLowerCase())).toEqual([]);
    });

    it('sets how much of the recent values is kept, and a chart says what is gone', async () => {
      const { page } = browser;
      const device = `/devices/${await app.deviceId('sim-0')}?path=/3303/0/5700`;
      await browser.visit('/account', 'Account');
      const change = async (edit: () => Promise<void>): Promise<void> => {
        await browser.turnTo('/account', 'Account');
        await page.getByRole('button', { name: 'Change the value history' }).click();
        await edit();
        await confirm('Save');
        await dialog().waitFor({ state: 'detached' });
      };
      await change(() => dialog().getByLabel('How many values of each resource').fill('5'));
      await page.getByText('the newest 5 at most').waitFor();
      await browser.turnTo(device, 'sim-0');
      await page.getByText('Earlier ones are gone: the account keeps 5 values of each resource').waitFor();
      await change(() => dialog().getByRole('switch', { name: 'Keep recent values of resources' }).uncheck());
      await page.getByText('The account keeps no history of values.').waitFor();
      await browser.turnTo(device, 'sim-0');
      await page.getByText('An administrator can change that on the page Account.').waitFor();
      expect((await app.call('PUT', '/v3/accounts/me', { value_history: null })).status).toBe(200);
    });

    it('creates a group of devices and one of keys, and a key that both limit', async () => {
      await browser.visit('/groups', 'Groups');
      await browser.page.getByText('No device groups yet').waitFor();
      await browser.page.getByRole('button', { name: 'Create a group' }).click();
      await dialog().getByLabel('Name').fill('Cellar');
      await confirm('Create');
      await browser.page.getByRole('link', { name: 'Cellar' }).waitFor();
      expect(await browser.faults('groups')).toEqual([]);
      await browser.turnTo('/keys', 'Keys');
      await browser.page.getByRole('button', { name: 'Create a group' }).click();
      await dialog().getByLabel('Name').fill('Readers');
      await dialog().getByLabel('devices.read').check();
      await confirm('Create');
      await browser.page.getByRole('cell', { name: /^Readers/ }).waitFor();
      await browser.page.getByRole('button', { name: 'Change the group Readers' }).click();
      await dialog().getByLabel('snapshots.read').check();
      await confirm('Save');
      await dialog().waitFor({ state: 'detached' });
      const { data } = (await app.call('GET', '/v3/policy-groups?name=Readers')).json;
      expect(data).toMatchObject([{ permissions: ['devices.read', 'snapshots.read'] }]);
      // The matrix has a column for each permission.
      const row = browser.page.getByRole('row').filter({ hasText: 'Readers' });
      await eventually(async () => expect(await row.getByText('yes', { exact: true }).count()).toBe(2));
      await browser.page.getByRole('button', { name: 'Create a key' }).click();
      await dialog().getByLabel('Name').fill('Dashboard');
      for (const [field, option] of [
        ['Groups', 'Readers'],
        ['Device groups', 'Cellar'],
      ] as const) {
        await dialog().getByLabel(field, { exact: true }).first().click();
        await browser.page.getByRole('option', { name: option }).click();
        await browser.page.keyboard.press('Escape');
      }
      expect(await browser.violationsOfOpened()).toEqual([]);
      await confirm('Create');
      const secret = await dialog().getByText(/^ak_1/).textContent();
      const listed = (await app.as(secret ?? '').call('GET', '/v3/devices')).json;
      expect(listed).toMatchObject({ object: 'list', data: [] });
      await dialog().getByRole('button', { name: 'Close' }).last().click();
      // The matrix says how many keys the group has.
      await row.getByText('1 key', { exact: true }).waitFor();
      await browser.page.getByRole('button', { name: 'Change Dashboard', exact: true }).click();
      await dialog().getByLabel('Source addresses').fill('192.0.2.0/24');
      await confirm('Save');
      await browser.page.getByText('1 device group; 192.0.2.0/24').waitFor();
      await eventually(async () =>
        expect(await app.as(secret ?? '').call('GET', '/v3/devices')).toMatchObject({ status: 403 }),
      );
      await browser.page.getByRole('button', { name: 'Revoke Dashboard' }).click();
      await confirm('Revoke');
      await row.getByText('0 keys', { exact: true }).waitFor();
      await eventually(async () =>
        expect(await app.as(secret ?? '').call('GET', '/v3/devices')).toMatchObject({ status: 401 }),
      );
    });

    it('does not lose a new key by the Escape key, a click beside the dialog, the way back, or a copy that fails', async () => {
      const { page } = browser;
      const isOfKeys = (url: URL): boolean => url.pathname === '/v3/api-keys';
      const { calls, release } = await browser.hold(isOfKeys, 'POST');
      await browser.visit('/', 'Fleet');
      await page.getByRole('link', { name: 'Keys', exact: true }).click();
      await page.getByRole('button', { name: 'Create a key' }).click();
      await dialog().getByLabel('Name').fill('Once');
      await submitAndEscape();
      await eventually(() => calls() > 0);
      await cannotLeave();
      await page.evaluate('new Promise((done) => { onpopstate = () => done(); history.back(); })');
      release();
      const secret = dialog().getByText(/^ak_1/);
      await secret.waitFor();
      await page.waitForURL('**/console/keys');
      await leave();
      expect(await secret.count()).toBe(1);
      // As over plain http.
      await page.evaluate('delete Navigator.prototype.clipboard');
      await confirm('Copy');
      await dialog().getByRole('button', { name: 'Not copied: select the text' }).waitFor();
      expect(await browser.violationsOfOpened()).toEqual([]);
      await dialog().getByRole('button', { name: 'Close' }).last().click();
      await page.getByRole('button', { name: 'Revoke Once' }).click();
      await confirm('Revoke');
      await dialog().waitFor({ state: 'detached' });
      await page.unroute(isOfKeys);
    });

    it('shows the new secret of a key until it is dismissed, also when the key leaves the list or the person goes back', async () => {
      const { page } = browser;
      const { json: key } = await app.call('POST', '/v3/api-keys', { name: 'Renewed' });
      const isOfKeys = (url: URL): boolean => url.pathname === '/v3/api-keys';
      const row = page.getByRole('row').filter({ hasText: 'Renewed' });
      // The console loads no document between the two pages, so that the way back stays within it.
      await browser.visit('/', 'Fleet');
      await page.getByRole('link', { name: 'Keys', exact: true }).click();
      await row.waitFor();
      // The list does not know that its secret was rotated meanwhile.
      expect((await app.call('POST', `/v3/api-keys/${key.id}/rotate`, {})).status).toBe(200);
      await page.getByRole('button', { name: 'Rotate the secret of Renewed' }).click();
      await dialog().getByText('becomes invalid immediately').waitFor();
      // As if a page of other keys had been created meanwhile.
      await page.route(isOfKeys, async (route) => {
        const response = await route.fetch();
        const list = (await response.json()) as { data: { id: string }[] };
        return route.fulfill({ response, json: { ...list, data: list.data.filter(({ id }) => id !== key.id) } });
      });
      await confirm('Rotate');
      const secret = dialog().getByText(/^ak_1/);
      await row.waitFor({ state: 'detached' });
      await secret.waitFor();
      await page.evaluate('history.back()');
      const question = page.getByRole('dialog', { name: 'Leave this page?' });
      await question.getByRole('button', { name: 'Stay' }).click();
      await question.waitFor({ state: 'detached' });
      const renewed = app.as((await secret.textContent()) ?? '');
      await eventually(async () => expect(await renewed.call('GET', '/v3/devices')).toMatchObject({ status: 200 }));
      await dialog().getByRole('button', { name: 'Close' }).last().click();
      await dialog().waitFor({ state: 'detached' });
      await page.unroute(isOfKeys);
      expect((await app.call('DELETE', `/v3/api-keys/${key.id}`)).status).toBe(204);
    });

    it('keeps a dialog open until its change has ended, and shows why that failed', async () => {
      const { page } = browser;
      const { json: group } = await app.call('POST', '/v3/device-groups', { name: 'Basement' });
      const isOfGroups = (url: URL): boolean => url.pathname === '/v3/device-groups';
      const { calls, release } = await browser.hold(isOfGroups, 'POST');
      await browser.turnTo('/groups', 'Groups');
      await page.getByRole('button', { name: 'Create a group' }).click();
      await dialog().getByLabel('Name').fill('Basement');
      await confirm('Create');
      await eventually(() => calls() > 0);
      await cannotLeave();
      release();
      await dialog().getByRole('alert').getByText('Another device group of this account has this name.').waitFor();
      await confirm('Cancel');
      await dialog().waitFor({ state: 'detached' });
      await page.unroute(isOfGroups);
      expect((await app.call('DELETE', `/v3/device-groups/${group.id}`)).status).toBe(204);
    });

    it('switches off a key that has expired, also with a new expiration', async () => {
      const { page } = browser;
      // On a busy machine, the time may have passed when the service reads it, which refuses the key then.
      const made = await eventually(async () => {
        const expiration = new Date(Date.now() + 2_000).toISOString();
        const { status, json } = await app.call('POST', '/v3/api-keys', { name: 'Forgotten', expiration });
        expect(status).toBe(201);
        return json;
      });
      const path = `/v3/api-keys/${made.id}`;
      const key = async (): Promise<unknown> => (await app.call('GET', path)).json;
      // Its second version is announced once it has expired.
      await eventually(async () => expect(await key()).toMatchObject({ status: 'EXPIRED', etag: '2' }));
      await browser.visit('/keys', 'Keys');
      await page.getByRole('button', { name: 'Change Forgotten', exact: true }).click();
      await dialog().getByLabel('Expires after').first().click();
      await page.getByRole('option', { name: 'one year' }).click();
      await dialog().getByRole('switch', { name: 'Active' }).uncheck();
      await confirm('Save');
      await dialog().waitFor({ state: 'detached' });
      expect(await key()).toMatchObject({ status: 'INACTIVE', expiration: expect.not.stringMatching(made.expiration) });
      expect((await app.call('DELETE', path)).status).toBe(204);
    });

    it('creates a bootstrap profile, and says why one is refused', async () => {
      await browser.turnTo('/bootstrap', 'Bootstrap');
      await browser.page.getByText('No bootstrap profiles yet').waitFor();
      await browser.page.getByRole('button', { name: 'Create a profile' }).click();
      await dialog().getByLabel('Name').fill('All devices');
      await dialog().getByLabel('URI of the LwM2M server').fill('http://example.com');
      await confirm('Create');
      await dialog().getByRole('alert').getByText('server_uri').first().waitFor();
      await dialog().getByLabel('URI of the LwM2M server').fill('coaps://127.0.0.1:5684');
      await confirm('Create');
      await browser.page.getByText('coaps://127.0.0.1:5684').waitFor();
      expect(await browser.faults('bootstrap')).toEqual([]);
      await browser.page.getByRole('button', { name: 'Change the profile All devices' }).click();
      await dialog()
        .getByLabel(/^Lifetime/)
        .fill('3600');
      await confirm('Save');
      await browser.page.getByText('1 hour', { exact: true }).waitFor();
    });

    it('stops an upload when it is told to, and asks before the page is left until it has ended', async () => {
      const { page } = browser;
      const isOfPackages = (url: URL): boolean => url.pathname === '/v3/firmware-images';
      const { calls, release } = await browser.hold(isOfPackages, 'POST');
      // The console loads no document between the two pages, so that the way back stays within it.
      await browser.visit('/', 'Fleet');
      await page.getByRole('link', { name: 'Campaigns', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Campaigns' }).waitFor();
      await page.getByRole('button', { name: 'Upload a package' }).click();
      const file = { name: 'halted.bin', mimeType: 'application/octet-stream', buffer: Buffer.from('halted') };
      await page.locator('input[type=file]').setInputFiles(file);
      await dialog().getByLabel('Version').fill('0.9.0');
      await confirm('Upload');
      await eventually(() => calls() === 1);
      await page.keyboard.press('Escape');
      await confirm('Stop');
      await dialog().getByRole('button', { name: 'Cancel', exact: true }).waitFor();
      expect(await dialog().getByRole('alert').count()).toBe(0);

      await confirm('Upload');
      await eventually(() => calls() === 2);
      await page.evaluate('history.back()');
      const question = page.getByRole('dialog', { name: 'Leave this page?' });
      await question.getByText('If you leave, the upload stops').waitFor();
      release();
      await question.waitFor({ state: 'detached' });
      await page.waitForURL('**/console/campaigns');
      // The service refuses a second package with this name, so the first upload did not reach it.
      await page.getByRole('cell', { name: /^halted.bin/ }).waitFor();
      await dialog().waitFor({ state: 'detached' });
      await page.unroute(isOfPackages);
      const { data } = (await app.call('GET', '/v3/firmware-images?name=halted.bin')).json;
      expect(data).toHaveLength(1);
      expect((await app.call('DELETE', `/v3/firmware-images/${data[0].id}`)).status).toBe(204);
    });

    it('refuses a package that is too large before it is uploaded', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'lanyard-console-'));
      const choose = async (bytes: number): Promise<void> => {
        const file = join(folder, `${bytes}.bin`);
        writeFileSync(file, '');
        truncateSync(file, bytes);
        await browser.page.locator('input[type=file]').setInputFiles(file);
      };
      await browser.turnTo('/campaigns', 'Campaigns');
      await browser.page.getByRole('button', { name: 'Upload a package' }).click();
      await dialog().getByLabel('Version').fill('9.9.9');
      await choose(67_108_865);
      await dialog().getByTitle('A package has at most 64 MiB.').waitFor();
      expect(await browser.violationsOfOpened()).toEqual([]);
      await choose(67_108_864);
      await dialog().getByTitle('A package has at most 64 MiB.').waitFor({ state: 'detached' });
      rmSync(folder, { recursive: true });
    });

    it('uploads a package and creates a campaign with it', async () => {
      await browser.visit('/campaigns', 'Campaigns');
      await browser.page.getByRole('button', { name: 'Upload a package' }).click();
      const buffer = Buffer.from('firmware');
      await browser.page
        .locator('input[type=file]')
        .setInputFiles({ name: 'meter.bin', mimeType: 'application/octet-stream', buffer });
      await dialog().getByLabel('Version').fill('1.2.3');
      await confirm('Upload');
      await browser.page.getByRole('cell', { name: /^meter.bin/ }).waitFor();
      expect(await browser.faults('campaigns')).toEqual([]);
      await browser.page.getByRole('button', { name: 'Create a campaign' }).click();
      await dialog().getByLabel('Name').fill('Winter');
      await dialog().getByLabel('Package').first().click();
      await browser.page.getByRole('option', { name: 'meter.bin, 1.2.3' }).click();
      await dialog().getByLabel('Starts').fill('2098-01-02T03:04');
      await dialog().getByLabel('Updates begin from').fill('22:00');
      await dialog().getByTitle('Enter both times of the window, or none.').waitFor();
      await dialog().getByLabel('Until').fill('04:00');
      await confirm('Create a draft');
      await browser.page.getByRole('heading', { level: 1, name: 'Winter' }).waitFor();
      await browser.page.getByText('from 22:00 until 04:00 UTC').waitFor();
    });

    it('starts the campaign later, changes its window meanwhile, and aborts it', async () => {
      const when = new Date('2098-01-02T03:04').toISOString().replace('Z', '000Z');
      const campaign = async (): Promise<unknown> =>
        (await app.call('GET', '/v3/update-campaigns?name=Winter')).json.data[0];
      expect(await campaign()).toMatchObject({ state: 'draft', when, window: { from: '22:00', to: '04:00' } });
      await browser.page.getByRole('button', { name: 'Start the campaign Winter' }).click();
      await confirm('Start');
      await browser.page.getByText('scheduled', { exact: true }).waitFor();
      await browser.page.getByRole('button', { name: 'Change', exact: true }).click();
      await dialog().getByLabel('Until').fill('05:30');
      await dialog().getByLabel('Devices at once').fill('50');
      expect(await browser.faults('campaign-change', dialogViews)).toEqual([]);
      await confirm('Save');
      await browser.page.getByText('from 22:00 until 05:30 UTC').waitFor();
      expect(await campaign()).toMatchObject({ state: 'scheduled', when, concurrency: 50 });
      expect(await browser.faults('campaign-scheduled')).toEqual([]);
      await browser.page.getByRole('button', { name: 'Abort the campaign Winter' }).click();
      await dialog().getByText('It ends for every device that has not finished.').waitFor();
      await confirm('Abort');
      // The word appears as the state, and as the reason beside it.
      await browser.page.getByText('aborted', { exact: true }).first().waitFor();
    });

    it('changes the name of a draft, and not its start', async () => {
      const { json: image } = await app.call(
        'POST',
        '/v3/firmware-images?version=1.9.0&name=spring',
        Buffer.from('spring'),
      );
      const when = '2098-01-02T03:04:30.000000Z';
      const draft = { name: 'Spring', firmware_image_id: image.id, when };
      const { json } = await app.call('POST', '/v3/update-campaigns', draft);
      await browser.turnTo(`/campaigns/${json.id}`, 'Spring');
      await browser.page.getByRole('button', { name: 'Change', exact: true }).click();
      await dialog().getByLabel('Name').fill('Summer');
      await confirm('Save');
      await browser.page.getByRole('heading', { level: 1, name: 'Summer' }).waitFor();
      expect((await app.call('GET', `/v3/update-campaigns/${json.id}`)).json).toMatchObject({ name: 'Summer', when });
    });

    it('trusts an authority that has proved who it is, and no longer', async () => {
      const authority = certificateAuthority('Meters <b>CA</b>');
      const { json: account } = await app.call('GET', '/v3/accounts/me');
      await browser.turnTo('/certificates', 'Certificates');
      await browser.page.getByText('No trusted certificates yet').waitFor();
      await browser.page.getByRole('button', { name: 'Add a certificate' }).click();
      await dialog().getByRole('textbox', { name: 'Certificate of the authority' }).fill(authority.certificate);
      await confirm('Add');
      await browser.page.getByText('not verified').waitFor();
      await browser.page.getByRole('button', { name: 'Change the certificate' }).click();
      await dialog().getByRole('textbox', { name: 'Signature' }).fill(authority.prove(account.id));
      await dialog().getByLabel('Revoked serial numbers').fill('0a1b, 2c');
      expect(await browser.faults('certificate-change', dialogViews)).toEqual([]);
      await confirm('Save');
      await browser.page.getByText('trusted', { exact: true }).waitFor();
      await browser.page.getByText('2 certificates revoked').waitFor();
      expect(await browser.faults('certificates')).toEqual([]);
      await browser.page.getByRole('button', { name: 'Delete the certificate' }).click();
      await confirm('Delete');
      await browser.page.getByText('No trusted certificates yet').waitFor();
    });

    it('adds an authority whose certificates have the endpoint name in the SubjectAltName', async () => {
      const { page } = browser;
      await browser.turnTo('/certificates', 'Certificates');
      await page.getByRole('button', { name: 'Add a certificate' }).click();
      const { certificate } = certificateAuthority('Modems CA');
      await dialog().getByRole('textbox', { name: 'Certificate of the authority' }).fill(certificate);
      const source = dialog().getByLabel('Endpoint name', { exact: true }).first();
      expect(await source.inputValue()).toBe('Common name of the subject');
      await source.click();
      await page.getByRole('option', { name: 'URI in the SubjectAltName' }).click();
      await confirm('Add');
      await page.getByText('endpoint name: URI in the SubjectAltName').waitFor();
      const { data } = (await app.call('GET', '/v3/trusted-certificates?endpoint_name_from=san_uri')).json;
      expect(data).toMatchObject([{ subject: expect.stringContaining('Modems CA') }]);
      await page.getByRole('button', { name: 'Delete the certificate' }).click();
      await confirm('Delete');
      await page.getByText('No trusted certificates yet').waitFor();
    });

    it('says what a campaign would select and has selected, and shows its name as text', async () => {
      const { json: image } = await app.call('POST', '/v3/firmware-images?version=2.0.0&name=new', Buffer.from('new'));
      const { json } = await app.call('POST', '/v3/update-campaigns', {
        name: script,
        firmware_image_id: image.id,
        filter: 'endpoint_name=injected',
      });
      await browser.turnTo(`/campaigns/${json.id}`, script);
      await browser.page.getByRole('button', { name: 'Start a dry run' }).click();
      await browser.page.getByText('1 device would be selected', { exact: true }).waitFor();
      expect(await browser.tookTextForHtml()).toBe(false);
      expect(await browser.faults('campaign', narrowOnly)).toEqual([]);
      await app.call('POST', `/v3/update-campaigns/${json.id}/start`);
      await browser.page.getByText('1 device', { exact: true }).waitFor();
      await app.call('POST', `/v3/update-campaigns/${json.id}/abort`);
    });
  });
