import { expect, it } from '@jest/globals';
import { DeviceAccount } from './device-account.js';

it('a device that is started before the system says what to do', async () => {
  const open = DeviceAccount.open('thermometer', { api: 'http://127.0.0.1:1', keyFile: 'no/admin.key' });
  await expect(open).rejects.toThrow('there is no no/admin.key: run "npm start" first');
});
