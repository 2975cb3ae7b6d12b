import { describe, expect, it } from '@jest/globals';
import { Command } from 'commander';
import type { Cli } from '../cli.js';
import { addDeviceRequests } from './device-requests.js';

describe('a command for a device', () => {
  it.each([
    ['--retry', '11', 'Expected a whole number from 0 to 10.'],
    ['--expiry', '2592001', 'Expected a whole number from 1 to 2592000.'],
  ])('%s %s, which the service would refuse, is wrong usage', async (option, value, problem) => {
    const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
    addDeviceRequests(program, {} as unknown as Cli);
    const parsed = program.parseAsync(['read', 'meter-1', '/3/0/0', option, value], { from: 'user' });
    await expect(parsed).rejects.toThrow(problem);
  });
});
