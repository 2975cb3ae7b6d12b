import { runService } from '@lanyard/service';
import { readConfig } from './config.js';
import { start } from './start.js';

await runService(readConfig, start);
