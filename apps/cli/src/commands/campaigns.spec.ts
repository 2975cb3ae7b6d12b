import { Conflict } from '@lanyard/client';
import { expect, it } from '@jest/globals';
import { CommandBench } from '../../test/command-bench.js';
import { addCampaigns } from './campaigns.js';

it('a campaign that is created but not started is named, because no other one may have its name', async () => {
  const bench = new CommandBench(
    (request, response) => {
      const isStart = request.url?.endsWith('/start');
      const image = { object: 'list', data: [{ id: 'f1', name: 'spring.bin' }], has_more: false };
      request.resume().on('end', () => {
        response.writeHead(isStart ? 409 : 200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(request.method === 'GET' ? image : { id: 'c1', message: 'No.', type: 'conflict' }));
      });
    },
    { quiet: true },
  );
  const args = ['campaign', 'create', 'spring', '--image', 'spring.bin', '--start'];
  await expect(bench.run(addCampaigns, args)).rejects.toThrow(Conflict);
  expect(bench.results()).toBe('');
  expect(bench.remarks()).toBe('The campaign is created: "lanyard campaign start c1" starts it.\n');
});
