import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { Conflict, Lanyard } from '@lanyard/client';
import { Command } from 'commander';
import { expect, it } from '@jest/globals';
import type { Cli, Session } from '../cli.js';
import { Output } from '../output/output.js';
import { addCampaigns } from './campaigns.js';

it('a campaign that is created but not started is named, because no other one may have its name', async () => {
  const server = createServer((request, response) => {
    const isStart = request.url?.endsWith('/start');
    const image = { object: 'list', data: [{ id: 'f1', name: 'spring.bin' }], has_more: false };
    request.resume().on('end', () => {
      response.writeHead(isStart ? 409 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(request.method === 'GET' ? image : { id: 'c1', message: 'No.', type: 'conflict' }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const session: Session = {
    ...{ url, key: 'ak_1x', signal: new AbortController().signal, onLost: () => undefined },
    lanyard: new Lanyard({ baseUrl: url, key: 'ak_1x' }),
    out: new Output(stdout, stderr, { json: false, quiet: true, colour: false }),
  };
  const program = new Command();
  addCampaigns(program, { session: () => session } as unknown as Cli);
  const args = ['campaign', 'create', 'spring', '--image', 'spring.bin', '--start'];
  await expect(program.parseAsync(args, { from: 'user' })).rejects.toThrow(Conflict);
  server.closeAllConnections();
  server.close();
  expect(stdout.read()).toBeNull();
  expect(String(stderr.read())).toBe('The campaign is created: "lanyard campaign start c1" starts it.\n');
});
