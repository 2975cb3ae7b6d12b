/** The part of the build that an image needs: the services, bundled, with their scripts for Redis, the console and the demonstration device. */
import { bundleServices } from '../../tools/lanyard/bundles.ts';
import { buildConsole, copyScripts } from '../../tools/lanyard/install.ts';
import { runProgram } from '../../tools/lanyard/programs.ts';
import { apps } from '../../tools/lanyard/service-processes.ts';

const services = apps.map((app) => `apps/${app}`);
await runProgram(process.execPath, ['node_modules/typescript-7/bin/tsc', '-b', ...services, 'libs/testing']);
copyScripts();
await bundleServices();
await buildConsole();
