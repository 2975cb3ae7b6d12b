import { ServiceUnavailable } from '@lanyard/client';
import { expect, it } from '@jest/globals';
import { CommandBench } from '../../test/command-bench.js';
import { addResources } from './resources.js';

const id = '0'.repeat(32);
const stored = { resource_path: '/3303/0/5700', subscribed: true };

/** Lists the resources of a device whose registration is answered with this status. Resolves to what is printed. */
const list = async (status: number, links: object[] = []): Promise<string> => {
  const bench = new CommandBench(
    ({ url = '' }, response) => {
      const isOfRegistration = url.startsWith('/v2/endpoints/');
      const answer = isOfRegistration ? links : url.endsWith('/echo') ? { resources: [stored] } : { id };
      response.writeHead(isOfRegistration ? status : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer));
    },
    { quiet: true, retries: 0 },
  );
  await bench.run(addResources, ['resources', id]);
  return bench.results();
};

it('the resources of a device are those with a value and those of its registration, if it has one', async () => {
  expect(await list(200, [{ uri: '/3303/0/5700' }, { uri: '/3/0/0' }])).toBe('/3303/0/5700\n/3/0/0\n');
  expect(await list(404)).toBe('/3303/0/5700\n');
});

it('a list without the resources of the registration, which cannot be read, is no list', async () => {
  await expect(list(503)).rejects.toThrow(ServiceUnavailable);
});
