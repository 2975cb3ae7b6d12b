import { runProcess } from '@lanyard/service';
import { wantsHelp, writeUsage } from './command-line.js';
import { readConfig } from './config.js';
import { start } from './start.js';

// The reader of the output may be gone; the devices deregister all the same.
process.stdout.on('error', () => undefined);

let isGood = true;
if (wantsHelp()) writeUsage();
else
  await runProcess(readConfig, async (config) => {
    const running = await start(config);
    // The end of the last phase acts like a signal to stop.
    void running.ended.then(() => process.emit('SIGTERM'));
    return {
      stop: async () => {
        isGood = await running.stop();
      },
    };
  });
if (!isGood) process.exitCode = 1;
