/** `npm run device -- --name x`: a demonstration device against the running system. */
import { runBuilt } from './lanyard/install.ts';
import { dataFolder, run } from './lanyard/project.ts';
import { StateFile } from './lanyard/state.ts';

/** Options that name the system that `npm start` started, whose ports may differ from the usual ones. */
const addressOptions = ({ state }: StateFile): string[] => {
  const { base_url: api, key_file: keyFile, coap_urls: [coap] = [], coaps_urls: [coaps] = [] } = state;
  const url = process.argv.includes('--secure') ? coaps?.replace(/\/udp$/, '') : coap;
  return Object.entries({ api, 'key-file': keyFile, url }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, value],
  );
};

await run(() => runBuilt('libs/testing', 'device/cli.js', addressOptions(new StateFile(dataFolder()))));
