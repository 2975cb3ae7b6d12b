import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { Lanyard } from '@lanyard/client';
import { Command } from 'commander';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Cli, Session } from '../cli.js';
import { Output } from '../output/output.js';
import { timeOf } from '../output/time.js';
import { addKeys } from './keys.js';

const until = '2030-01-02T03:04:05.000000Z';
const made = { id: 'k1', name: 'meters', key: 'ak_1whole' };

describe('a key that cannot be written to its file', () => {
  let server: Server | undefined;

  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  it.each([
    ['create', made, '"lanyard keys rotate k1" gives the key another one.'],
    [
      'rotate',
      { ...made, previous_secret_expires_at: until },
      `The previous secret stays valid until ${timeOf(until)}. ` +
        '"lanyard keys rotate k1" gives the key another one, and ends the previous one at once.',
    ],
  ])('%s: says what another rotation does', async (action, record, advice) => {
    const folder = mkdtempSync(join(tmpdir(), 'lanyard-keys-'));
    server = createServer((request, response) => {
      const isList = request.method === 'GET';
      // The file can be created, and is gone when the key is there.
      if (!isList) rmSync(folder, { recursive: true });
      const answer = isList ? { object: 'list', data: [made], has_more: false } : record;
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const session: Session = {
      ...{ url, key: 'ak_1x', signal: new AbortController().signal, onLost: () => undefined },
      lanyard: new Lanyard({ baseUrl: url, key: 'ak_1x' }),
      out: new Output(new PassThrough(), new PassThrough(), { json: false, quiet: false, colour: false }),
    };
    const program = new Command();
    addKeys(program, { session: () => session } as unknown as Cli);
    const run = program.parseAsync(['keys', action, 'meters', '--out', join(folder, 'key')], { from: 'user' });
    await expect(run).rejects.toMatchObject({ exitCode: 1, advice });
    expect(existsSync(folder)).toBe(false);
  });
});
