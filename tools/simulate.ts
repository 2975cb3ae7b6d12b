/** `npm run simulate -- --devices 1000`: a fleet of devices against the running system. */
import { runBuilt } from './lanyard/install.ts';
import { run } from './lanyard/project.ts';

await run(() => runBuilt('apps/simulator', 'main.js'));
