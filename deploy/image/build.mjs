/** The part of the build that an image needs: the services and the demonstration device, with their scripts for Redis. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { copyScripts, runProgram } from '../../tools/lanyard/install.ts';
import { root } from '../../tools/lanyard/project.ts';

const apps = readdirSync(join(root, 'apps')).map((app) => `apps/${app}`);
await runProgram(process.execPath, ['node_modules/typescript-7/bin/tsc', '-b', ...apps, 'libs/testing']);
copyScripts();
