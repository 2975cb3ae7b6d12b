import { runService } from '@lanyard/service';
import { wantsHelp, writeUsage } from './command-line.js';
import { readConfig } from './config.js';
import { start } from './start.js';

// Whoever read the lines may be gone: the devices still say good-bye.
process.stdout.on('error', () => undefined);

if (wantsHelp()) writeUsage();
else await runService(readConfig, start);
