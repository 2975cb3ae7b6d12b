import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DeviceImport } from '@lanyard/client';
import type { Command } from 'commander';
import type { Cli, Session } from '../cli.js';
import { CliError, exitCodes } from '../errors.js';
import { counted } from '../output/counted.js';
import { contentOf, uploadMaxMs } from './values.js';
import { withRetries } from './with-retries.js';

const pollMs = 500;

const followed = async (session: Session, begun: DeviceImport): Promise<DeviceImport> => {
  const { lanyard, out, signal } = session;
  let current = begun;
  for (let shown = -1; current.status !== 'completed';) {
    await sleep(pollMs, undefined, { signal });
    current = await withRetries(session, () => lanyard.call('GET /v3/device-imports/{id}', { path: { id: begun.id } }));
    if (current.processed_count !== shown) out.note(`${current.processed_count} of ${current.total_count} rows`);
    shown = current.processed_count;
  }
  return current;
};

export const addImport = (program: Command, cli: Cli): void => {
  program
    .command('import')
    .description('Create devices from a CSV file, and print the errors by row')
    .argument('<file>', 'CSV with a header line; - is the standard input')
    .option('--no-wait', 'print the id of the import instead of waiting for its end')
    .action(async (file: string, { wait }: { wait: boolean }, command: Command) => {
      const session = cli.session(command);
      const { lanyard, out, signal } = session;
      const query = { name: file === '-' ? 'standard input' : basename(file) };
      const begun = await lanyard.call(
        'POST /v3/device-imports',
        { query, body: await contentOf(file, signal) },
        { timeoutMs: uploadMaxMs },
      );
      if (!wait) return out.result(begun, () => begun.id);
      const ended = await followed(session, begun);
      const created = ended.total_count - ended.errors_count;
      await out.result(ended, () => `${created} of ${counted(ended.total_count, 'device')} created.`);
      if (ended.errors_count === 0) return;
      const report = await withRetries(session, () =>
        lanyard.call('GET /v3/device-imports/{id}/errors', { path: { id: ended.id } }),
      );
      // CSV ends lines with two characters, one of which would be shown as an escape.
      out.complain(report.trimEnd().replaceAll('\r\n', '\n'));
      throw new CliError(`${counted(ended.errors_count, 'row')} created no device.`, exitCodes.refused);
    });
};
