import { runService } from '@lanyard/service';
import { wantsHelp, writeUsage } from './command-line.js';
import { readConfig } from './config.js';
import { start } from './start.js';

// The reader of the output may be gone; the devices still deregister.
process.stdout.on('error', () => undefined);

if (wantsHelp()) writeUsage();
else await runService(readConfig, start);
