import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { Lanyard, ServiceUnavailable } from '@lanyard/client';
import { Command } from 'commander';
import { afterEach, expect, it } from '@jest/globals';
import type { Cli, Session } from '../cli.js';
import { Output } from '../output/output.js';
import { addResources } from './resources.js';

const id = '0'.repeat(32);
const stored = { resource_path: '/3303/0/5700', subscribed: true };

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** Lists the resources of a device whose registration is answered with this status. Resolves to what is printed. */
const list = async (status: number, links: object[] = []): Promise<string> => {
  const server = createServer(({ url = '' }, response) => {
    const isOfRegistration = url.startsWith('/v2/endpoints/');
    const answer = isOfRegistration ? links : url.endsWith('/echo') ? { resources: [stored] } : { id };
    response.writeHead(isOfRegistration ? status : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stdout = new PassThrough();
  const session: Session = {
    ...{ url, key: 'ak_1x', signal: new AbortController().signal, onLost: () => undefined },
    lanyard: new Lanyard({ baseUrl: url, key: 'ak_1x', retries: 0 }),
    out: new Output(stdout, new PassThrough(), { json: false, quiet: true, colour: false }),
  };
  const program = new Command();
  addResources(program, { session: () => session } as unknown as Cli);
  await program.parseAsync(['resources', id], { from: 'user' });
  return String(stdout.read() ?? '');
};

it('the resources of a device are those with a value and those of its registration, if it has one', async () => {
  expect(await list(200, [{ uri: '/3303/0/5700' }, { uri: '/3/0/0' }])).toBe('/3303/0/5700\n/3/0/0\n');
  expect(await list(404)).toBe('/3303/0/5700\n');
});

it('a list without the resources of the registration, which cannot be read, is no list', async () => {
  await expect(list(503)).rejects.toThrow(ServiceUnavailable);
});
