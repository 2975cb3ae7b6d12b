import { expect, it } from '@jest/globals';
import { Command } from 'commander';
import type { Cli } from '../cli.js';
import { UsageError } from '../errors.js';
import { addChannels } from './channels.js';

it.each([
  ['pull --header X-Site:north'],
  ['websocket --header X-Site:north'],
  ['pull --callback-url http://127.0.0.1:9'],
  ['callback'],
])('channels create %s: an option of callbacks is neither ignored nor left out', async (line) => {
  const program = new Command();
  addChannels(program, {} as Cli);
  const args = ['channels', 'create', ...line.split(' ')];
  await expect(program.parseAsync(args, { from: 'user' })).rejects.toThrow(UsageError);
});
