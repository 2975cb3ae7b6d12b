/** docs/tour.md as it is: runs each of its commands, and expects the output that the reader should see. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, say, Stop } from '../lanyard/project.ts';
import { Terminal } from './terminal.ts';

export interface TourSystem {
  baseUrl: string;
  coapsUrl: string;
  keyFile: string;
}

/** Commands that do not end: the reader keeps each of them open in a separate terminal. */
type Kept = 'listener' | 'device' | 'command line' | 'server' | 'forward';

interface Step {
  /** Text that only this part of the document has. */
  has: string;
  keeps?: Kept;
  sees: (said: Terminal, kept: Map<Kept, Terminal>) => Promise<unknown>;
}

const steps: Step[] = [
  { has: '/v3/accounts/me', sees: (said) => said.says(/"id":"[0-9a-f]{32}"/) },
  { has: '/v2/notification/websocket ', sees: () => Promise.resolve() },
  { has: 'websocket-connect', keeps: 'listener', sees: (said) => said.says(/listening\n/) },
  {
    has: 'npm run device',
    keeps: 'device',
    sees: async (said, kept) => {
      await said.says(/connected over DTLS/);
      await said.says(/registered; its id: [0-9a-f]{32}/);
      await kept.get('listener')?.says(/"registrations":/);
    },
  },
  {
    has: '/v2/subscriptions/',
    sees: async (_, kept) => {
      await kept.get('listener')?.says(/"id":"read-1","status":200|"status":200,[^}]*"id":"read-1"/);
      await kept.get('listener')?.says(/"notifications":.*"\/3303\/0\/5700"/);
    },
  },
  { has: 'lanyard observe', keeps: 'command line', sees: (said) => said.says(/^\S+ .*\d+(\.\d+)?$/m) },
  {
    has: 'async-id=write-1',
    sees: async (said, kept) => {
      await kept.get('listener')?.says(/"write-1"/);
      await said.says(/"resource_path":"\/3303\/0\/5700"/);
      await said.says(/"event_type"/);
    },
  },
  { has: 'channels delete', sees: (_, kept) => kept.get('listener')?.says(/closed 1001\n/) ?? Promise.resolve() },
  { has: 'createServer', keeps: 'server', sees: (said) => said.says(/server ready\n/) },
  {
    has: 'lanyard forward',
    keeps: 'forward',
    sees: async (said, kept) => {
      await said.says(/\d events? forwarded\n/);
      await kept.get('server')?.says(/"notifications":.*"\/3303\/0\/5700"/);
    },
  },
  // The device registers again at its next update.
  { has: '/suspend', sees: (_, kept) => kept.get('device')?.says(/registered; its id/, 2) ?? Promise.resolve() },
  { has: '@lanyard/client', sees: (said) => said.says(/thermo-1 by \S+/) },
];

/** The commands of the document, with the addresses of this system in place of the usual ones. */
const commandsOf = ({ baseUrl, coapsUrl, keyFile }: TourSystem) => {
  const page = readFileSync(join(root, 'docs/tour.md'), 'utf8');
  const blocks = [...page.matchAll(/^```bash\n([^]*?)^```$/gm)].map(([, block = '']) => block);
  const options = `--api ${baseUrl} --url ${coapsUrl} --key-file ${keyFile}`;
  return blocks.map((block) =>
    block
      .replaceAll('http://127.0.0.1:8080', baseUrl)
      .replaceAll('ws://127.0.0.1:8080', baseUrl.replace('http', 'ws'))
      .replaceAll('.lanyard/admin.key', keyFile)
      .replaceAll('npm run device -- --secure', `$& ${options}`),
  );
};

/** Throws Stop if the document and the steps differ. */
export const stepsOf = (system: TourSystem) => {
  const found = commandsOf(system).map((block) => ({ block, known: steps.filter(({ has }) => block.includes(has)) }));
  for (const { block, known } of found)
    if (known.length !== 1) throw new Stop(`docs/tour.md has commands that npm run tour does not know:\n${block}`);
  const missing = steps.find((step) => !found.some(({ known }) => known[0] === step));
  if (missing) throw new Stop(`docs/tour.md has no commands with ${missing.has}, which npm run tour expects`);
  return found.map(({ block, known }) => ({ block, step: known[0] as Step }));
};

/** Throws Stop if a command fails or its expected output does not appear. */
export const followTour = async (system: TourSystem) => {
  const home = mkdtempSync(join(tmpdir(), 'lanyard-tour-'));
  const kept = new Map<Kept, Terminal>();
  /** Variables that later commands use, in any terminal. */
  const variables: string[] = [];
  try {
    for (const { block, step } of stepsOf(system)) {
      const { has, keeps, sees } = step;
      const terminal = new Terminal([...variables, block].join('\n'), { LANYARD_CONFIG_DIR: home });
      if (keeps) kept.set(keeps, terminal);
      else await terminal.finishes();
      await sees(terminal, kept);
      variables.push(...(block.match(/^[A-Z]+=.*$/gm) ?? []));
      say(`tour: ${has}`);
    }
  } finally {
    for (const terminal of [...kept.values()].reverse()) await terminal.interrupt();
    rmSync(home, { recursive: true, force: true });
  }
};
