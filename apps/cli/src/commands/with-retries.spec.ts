import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { Lanyard } from '@lanyard/client';
import { Command } from 'commander';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import type { Cli, Session } from '../cli.js';
import { Output } from '../output/output.js';
import { addCampaigns } from './campaigns.js';
import { addImport } from './import.js';

const campaign = { id: 'c1', name: 'spring', state: 'done' };
const devices = { id: 'i1', status: 'completed', total_count: 1, processed_count: 1, errors_count: 0 };

const answers: Record<string, object> = {
  'GET /v3/update-campaigns': { object: 'list', data: [campaign], has_more: false },
  'GET /v3/update-campaigns/c1': campaign,
  'GET /v3/update-campaigns/c1/progress': { devices: 1, succeeded: 1 },
  'POST /v3/device-imports': { ...devices, status: 'processing', processed_count: 0 },
  'GET /v3/device-imports/i1': devices,
};

describe('a command that follows what the service does', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lanyard-retries-'));
  const file = join(folder, 'devices.csv');
  writeFileSync(file, 'endpoint_name\nmeter-1\n');
  let server: Server | undefined;

  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Each of these requests fails once, the others never. */
  const serving = async (failing: readonly string[]): Promise<string> => {
    const left = new Set(failing);
    server = createServer((request, response) => {
      const [path = ''] = (request.url ?? '').split('?');
      const operation = `${request.method} ${path}`;
      request.resume().on('end', () => {
        if (left.delete(operation)) return void response.writeHead(503).end();
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answers[operation]));
      });
    });
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };

  it.each([
    ['campaign watch spring', ['GET /v3/update-campaigns/c1'], 'done: 1 device (1 succeeded)\n'],
    ['campaign watch spring', ['GET /v3/update-campaigns/c1/progress'], 'done: 1 device (1 succeeded)\n'],
    ['import devices.csv', ['GET /v3/device-imports/i1'], '1 of 1 device created.\n'],
  ])('%s continues after a failure of %j', async (line, failing, expected) => {
    const url = await serving(failing);
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const lost: Error[] = [];
    const session: Session = {
      ...{ url, key: 'ak_1x', signal: new AbortController().signal },
      lanyard: new Lanyard({ baseUrl: url, key: 'ak_1x', retries: 0 }),
      out: new Output(stdout, stderr, { json: false, quiet: false, colour: false }),
      onLost: (error) => lost.push(error),
    };
    const program = new Command();
    for (const add of [addCampaigns, addImport]) add(program, { session: () => session } as unknown as Cli);
    const args = line.split(' ').map((word) => (word === 'devices.csv' ? file : word));
    await program.parseAsync(args, { from: 'user' });
    expect(String(stdout.read())).toBe(expected);
    expect(lost).toMatchObject([{ name: 'ServiceUnavailable', status: 503 }]);
  });
});
