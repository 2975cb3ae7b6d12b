/** `npm run simulate -- --devices 1000`: a fleet of devices against the running system. */
import { runBuilt } from './lanyard/install.ts';
import { dataFolder, run } from './lanyard/project.ts';
import { StateFile } from './lanyard/state.ts';

/** Whether an option is given on the command line or as a variable: `--credentials-file`, or SIMULATOR_CREDENTIALS_FILE. */
const has = (option: string): boolean => {
  const variable = `SIMULATOR_${option.toUpperCase().replaceAll('-', '_')}`;
  return Boolean(process.env[variable]) || process.argv.some((argument) => argument.split('=')[0] === `--${option}`);
};

/** The server that `npm start` started, whose ports may differ from the usual ones. The groups of a scenario name their own servers. */
const serverOf = ({ state }: StateFile): string[] => {
  const [server] = (has('credentials-file') ? state.coaps_urls : state.coap_urls) ?? [];
  const isNamed = has('server') || has('scenario') || has('bootstrap');
  return server === undefined || isNamed ? [] : ['--server', server.replace(/\/udp$/, '')];
};

await run(() => runBuilt('apps/simulator', 'main.js', serverOf(new StateFile(dataFolder()))));
