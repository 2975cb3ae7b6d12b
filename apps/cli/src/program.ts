import { Command } from 'commander';
import type { Cli } from './cli.js';
import { addDeviceRequests } from './commands/device-requests.js';
import { addDevices } from './commands/devices.js';
import { addLogin } from './commands/login.js';
import { addTail } from './commands/tail.js';
import { withoutSecrets } from './output/safe-text.js';

const exitCodeHelp = `
Exit codes:
  0  done                    4  not permitted, or not signed in
  1  refused                 5  no result in time
  2  wrong usage             6  no such device, record or profile
  3  no connection         130  interrupted

Names and ids are equivalent everywhere. Start with "lanyard login", then "lanyard devices".`;

/** All commands. Parsing ends with a CommanderError instead of the process. */
export const createProgram = (cli: Cli): Command => {
  const program = new Command('lanyard')
    .description('Devices, commands, events and channels of a Lanyard installation')
    .option('--profile <name>', 'profile to use (LANYARD_PROFILE)')
    .option('--url <url>', 'address of the service (LANYARD_URL)')
    .option('--key-file <file>', 'file with the API key (LANYARD_KEY_FILE; LANYARD_KEY has the key itself)')
    .option('--json', 'print JSON; streams print one object per line')
    .option('-q, --quiet', 'print results only, and of lists only ids')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeErr: (text) => process.stderr.write(withoutSecrets(text)) })
    .addHelpText('after', exitCodeHelp)
    .exitOverride();
  addLogin(program, cli);
  addDevices(program, cli);
  addDeviceRequests(program, cli);
  addTail(program, cli);
  return program;
};
