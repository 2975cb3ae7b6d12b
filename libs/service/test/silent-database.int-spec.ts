import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Isolation, isolate, patienceMs, TcpLine } from '@lanyard/testing';
import { openDatabase, startsWithin } from '../src/index.js';

describe('a PostgreSQL that goes silent in the middle of a start', () => {
  let isolation: Isolation;
  let line: TcpLine;

  beforeAll(async () => {
    isolation = await isolate('silent-database');
    line = await TcpLine.open(isolation.databaseUrl);
  });
  afterAll(async () => {
    line?.close();
    await isolation?.drop();
  });

  const open = (): ReturnType<typeof openDatabase> =>
    openDatabase({ url: line.url, schema: 'own', entities: [], migrations: [], applicationName: 'test' });

  // Of about 2,000 bytes: in the login, at the lock, and while the schema is looked at.
  it.each([100, 600, 1_100])('after %i bytes: the deadline of the start names it', async (bytes) => {
    line.swallowAfter(bytes);
    const opening = open();
    await expect(startsWithin(1_000, opening)).rejects.toThrow(
      `Not started within 1 s (START_TIMEOUT_MS). Waiting for: PostgreSQL at ${line.address}: schema own`,
    );
    line.heal();
    await expect(opening).rejects.toThrow();
  });

  it('after its answers: the service starts', async () => {
    await (await startsWithin(patienceMs, open())).destroy();
  });
});
