import { runService } from '@lanyard/service';
import { wantsHelp, writeUsage } from './command-line.js';
import { readConfig } from './config.js';
import { start } from './start.js';

if (wantsHelp()) writeUsage();
else await runService(readConfig, start);
