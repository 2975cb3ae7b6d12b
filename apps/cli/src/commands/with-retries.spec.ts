import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { CommandBench } from '../../test/command-bench.js';
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

  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    ['campaign watch spring', ['GET /v3/update-campaigns/c1'], 'done: 1 device (1 succeeded)\n'],
    ['campaign watch spring', ['GET /v3/update-campaigns/c1/progress'], 'done: 1 device (1 succeeded)\n'],
    ['import devices.csv', ['GET /v3/device-imports/i1'], '1 of 1 device created.\n'],
  ])('%s continues after a failure of %j', async (line, failing, expected) => {
    // Each of these requests fails once, the others never.
    const left = new Set(failing);
    const lost: Error[] = [];
    const bench = new CommandBench(
      (request, response) => {
        const [path = ''] = (request.url ?? '').split('?');
        const operation = `${request.method} ${path}`;
        request.resume().on('end', () => {
          if (left.delete(operation)) return void response.writeHead(503).end();
          response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answers[operation]));
        });
      },
      { retries: 0, onLost: (error) => lost.push(error) },
    );
    const args = line.split(' ').map((word) => (word === 'devices.csv' ? file : word));
    await bench.run((program, cli) => {
      for (const add of [addCampaigns, addImport]) add(program, cli);
    }, args);
    expect(bench.results()).toBe(expected);
    expect(lost).toMatchObject([{ name: 'ServiceUnavailable', status: 503 }]);
  });
});
