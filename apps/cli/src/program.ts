import { Command } from 'commander';
import type { Cli } from './cli.js';
import { addCampaigns, addImages } from './commands/campaigns.js';
import { addChannels } from './commands/channels.js';
import { addCommands } from './commands/commands.js';
import { addCompletion } from './commands/completion.js';
import { addDeviceRequests } from './commands/device-requests.js';
import { addDevices } from './commands/devices.js';
import { addExplain } from './commands/explain.js';
import { addForward } from './commands/forward.js';
import { addImport } from './commands/import.js';
import { addKeys } from './commands/keys.js';
import { addListen } from './commands/listen.js';
import { addLogin } from './commands/login.js';
import { addObserve } from './commands/observe.js';
import { addResources } from './commands/resources.js';
import { addSuspension } from './commands/suspension.js';
import { addTail } from './commands/tail.js';
import { withoutSecrets } from './output/safe-text.js';

const version = '0.1.0';

/** The commands in the order of the help. */
const all = [
  ...[addLogin, addDevices, addResources, addDeviceRequests, addCommands, addObserve, addExplain, addTail],
  ...[addChannels, addListen, addForward, addSuspension, addImport, addImages, addCampaigns, addKeys, addCompletion],
];

export const exitCodeHelp = `Exit codes:
  0  done                    4  not permitted, or not signed in
  1  refused                 5  no result in time
  2  wrong usage             6  no such device, record or profile
  3  no connection         130  interrupted`;

const start = 'Names and ids are equivalent everywhere. Start with "lanyard login", then "lanyard devices".';

/** All commands. Parsing ends with a CommanderError instead of the process. */
export const createProgram = (cli: Cli): Command => {
  const program = new Command('lanyard')
    .description('Manage devices, commands, events and channels of a Lanyard installation')
    .version(version, '--version', 'print the version')
    .option('--profile <name>', 'profile to use (LANYARD_PROFILE)')
    .option('--url <url>', 'address of the service (LANYARD_URL)')
    .option('--key-file <file>', 'file with the API key (LANYARD_KEY_FILE; LANYARD_KEY contains the key itself)')
    .option('--json', 'print JSON; streams print one object per line')
    .option('-q, --quiet', 'print results only; for lists, print only the ids')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeErr: (text) => process.stderr.write(withoutSecrets(text)),
      outputError: (text, write) => write(text.replace(/^error: /, 'lanyard: ')),
    })
    .showHelpAfterError('Add --help to see arguments and options.')
    .addHelpText('after', `\n${exitCodeHelp}\n\n${start}`)
    .exitOverride();
  for (const add of all) add(program, cli);
  return program;
};
