/** `npm run simulate -- --devices 1000`: a fleet of devices against the running system. */
import { runBuilt } from './lanyard/install.ts';
import { dataFolder, run } from './lanyard/project.ts';
import { StateFile } from './lanyard/state.ts';

const has = (option: string): boolean => process.argv.some((argument) => argument.split('=')[0] === option);

/** The server that `npm start` started, whose ports may differ from the usual ones. The groups of a scenario name their own servers. */
const serverOf = ({ state }: StateFile): string[] => {
  const [server] = (has('--credentials-file') ? state.coaps_urls : state.coap_urls) ?? [];
  const isNamed = process.env.SIMULATOR_SERVER !== undefined || has('--scenario') || has('--bootstrap');
  return server === undefined || isNamed ? [] : ['--server', server.replace(/\/udp$/, '')];
};

await run(() => runBuilt('apps/simulator', 'main.js', serverOf(new StateFile(dataFolder()))));
