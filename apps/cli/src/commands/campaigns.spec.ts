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

it.each(['get', 'show'])('%s shows a campaign and its progress', async (name) => {
  const campaign = { id: 'c1', name: 'spring', state: 'done', started_at: '2026-04-01T00:00:00Z' };
  const bench = new CommandBench((request, response) => {
    const isProgress = request.url?.endsWith('/progress');
    const list = { object: 'list', data: [campaign], has_more: false };
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isProgress ? { devices: 3, succeeded: 3 } : list));
    });
  });
  await bench.run(addCampaigns, ['campaign', name, 'spring']);
  expect(bench.results()).toMatch(/^Name +spring\nId +c1\nState +done\nDevices +3\nProgress +3 succeeded\nStarted +/);
});
