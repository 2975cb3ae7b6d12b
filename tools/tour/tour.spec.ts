import { expect, it } from '@jest/globals';
import { stepsOf } from './tour.ts';

it('every command of the tour is one that npm run tour knows, and has the addresses of the system', () => {
  const system = { baseUrl: 'http://127.0.0.1:18080', coapsUrl: 'coaps://127.0.0.1:15684', keyFile: '/tmp/key' };
  const text = stepsOf(system)
    .map(({ block }) => block)
    .join('');
  expect(text).toContain('BASE=http://127.0.0.1:18080\nKEY=$(cat /tmp/key)\n');
  expect(text).toContain('ws://127.0.0.1:18080/v2/notification/websocket-connect');
  expect(text).toContain('npm run device -- --secure --api http://127.0.0.1:18080 --url coaps://127.0.0.1:15684');
  expect(text).not.toMatch(/:8080|:5684|\.lanyard/);
});
