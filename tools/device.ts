/** `npm run device -- --name x`: a demonstration device against the running system. */
import { runBuilt } from './lanyard/install.ts';
import { run } from './lanyard/project.ts';

await run(() => runBuilt('libs/testing', 'device/cli.js'));
