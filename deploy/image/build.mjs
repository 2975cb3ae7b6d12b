/** The part of the build that an image needs: the services, the console and the demonstration device, with their scripts for Redis. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildConsole, copyScripts, runProgram } from '../../tools/lanyard/install.ts';
import { root } from '../../tools/lanyard/project.ts';

const services = readdirSync(join(root, 'apps')).flatMap((app) => (app === 'console' ? [] : [`apps/${app}`]));
await runProgram(process.execPath, ['node_modules/typescript-7/bin/tsc', '-b', ...services, 'libs/testing']);
copyScripts();
await buildConsole();
