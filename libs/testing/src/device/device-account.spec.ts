import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { AccountFailed, DeviceAccount } from './device-account.js';

const api = 'http://127.0.0.1:1';

it('a device that is started before the system says what to do', async () => {
  const open = DeviceAccount.open('thermometer', { api, keyFile: 'no/admin.key' });
  await expect(open).rejects.toThrow('there is no no/admin.key: run "npm start" first');
});

it('a device that cannot reach the API names its address, not that of the CoAP server', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lanyard-device-'));
  const keyFile = join(folder, 'admin.key');
  writeFileSync(keyFile, 'ak_1x\n');
  const open = DeviceAccount.open('thermometer', { api, keyFile });
  await expect(open).rejects.toThrow(AccountFailed);
  await expect(open).rejects.toThrow(`cannot reach the API at ${api}: `);
  rmSync(folder, { recursive: true });
});
