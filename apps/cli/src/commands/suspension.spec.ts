import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { Lanyard } from '@lanyard/client';
import { Command } from 'commander';
import { expect, it } from '@jest/globals';
import type { Cli, Session } from '../cli.js';
import { Output } from '../output/output.js';
import { addSuspension } from './suspension.js';

const id = '0'.repeat(32);

/** Resolves to the note about a device that operator and system have suspended, or not. */
const noteOf = async (line: string, [operator, system]: readonly [boolean, boolean]): Promise<string> => {
  const server = createServer((request, response) => {
    const device = { id, name: 'meter-1', operator_suspended: operator, system_suspended: system };
    if (request.method !== 'GET') return void request.resume().on('end', () => response.writeHead(204).end());
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(device));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stderr = new PassThrough();
  const session: Session = {
    ...{ url, key: 'ak_1x', signal: new AbortController().signal, onLost: () => undefined },
    lanyard: new Lanyard({ baseUrl: url, key: 'ak_1x' }),
    out: new Output(new PassThrough(), stderr, { json: false, quiet: false, colour: false }),
  };
  const program = new Command();
  addSuspension(program, { session: () => session } as unknown as Cli);
  await program.parseAsync([...line.split(' '), id], { from: 'user' });
  server.closeAllConnections();
  server.close();
  return String(stderr.read());
};

it.each([
  ['suspend', [false, false], 'meter-1 is suspended (maintenance).\n'],
  ['resume', [true, false], 'meter-1 is resumed (maintenance).\n'],
  ['resume', [true, true], 'meter-1 is resumed (maintenance). It stays blocked until the system resumes it.\n'],
  ['resume', [false, false], 'meter-1 is not suspended by an operator: nothing has changed.\n'],
  [
    'resume --dry-run',
    [false, true],
    'meter-1 is not suspended by an operator: nothing would change. It stays blocked until the system resumes it.\n',
  ],
] as const)('%s says what becomes of a device that operator and system suspended: %j', async (line, by, note) => {
  expect(await noteOf(line, by)).toBe(note);
});
