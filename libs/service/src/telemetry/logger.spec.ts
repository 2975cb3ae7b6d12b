import { closeSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { QueryFailedError } from 'typeorm';
import { newId } from '../ids.js';
import { formatApiKey, newSecret } from '../keys/api-key.js';
import { newTicket } from '../keys/download-tickets.js';
import { createLogger } from './logger.js';

const capture = (): { lines: string[]; destination: Writable } => {
  const lines: string[] = [];
  return { lines, destination: new Writable({ write: (chunk, _, done) => (lines.push(String(chunk)), done()) }) };
};

describe('logger', () => {
  it('never prints a secret: not by field, not inside a text, not in an error', () => {
    const { lines, destination } = capture();
    const logger = createLogger({ app: 'x', replicaId: 'x-0', level: 'info', destination });
    const [accountId, keyId] = [newId(), newId()];
    const secret = newSecret(accountId, keyId);
    const key = formatApiKey({ accountId, keyId, secret });
    logger.info({ headers: { authorization: `Bearer ${key}` } }, 'request');
    logger.info({ channel: { authorization: 'Basic abc123' } }, `key ${key} in a text`);
    logger.error({ err: new Error(`refused ${key}`) }, 'failed');
    logger.info({ url: 'postgres://lanyard:hunter2@db/x' }, 'connect');
    const token = newSecret(accountId, keyId).padEnd(43, '-');
    logger.error({ err: new Error(`refused ls_${token}`) }, `Bearer ls_${token}`);
    // A request for a download that fails is logged with its path.
    const ticket = newTicket();
    logger.error({ path: `/downloads/${ticket}`, list: `part-${keyId}` }, 'request failed');
    logger.warn({ err: new Error('not signed: whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw') }, 'failed');
    const text = lines.join('');
    expect(lines).toHaveLength(7);
    expect(text).not.toContain(ticket);
    expect(text).toContain('/downloads/t-…');
    expect(text).toContain(`part-${keyId}`);
    expect(text).not.toContain('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
    expect(text).toContain('postgres://lanyard:…@db/x');
    expect(text).not.toContain(token);
    expect(text).not.toContain(secret);
    expect(text).not.toContain('abc123');
    expect(text).not.toContain('hunter2');
    expect(text).toContain(keyId);
  });

  it('never prints the values of a statement that PostgreSQL refused', () => {
    const { lines, destination } = capture();
    const logger = createLogger({ app: 'x', replicaId: 'x-0', level: 'info', destination });
    const refusal = Object.assign(new Error('null value in column "name"'), {
      code: '23502',
      detail: 'Failing row contains (hunter2, null).',
      where: 'JSON data, line 1: {"password":"hunter2"',
    });
    const statement = 'INSERT INTO channels VALUES ($1)';
    const failed = new QueryFailedError(statement, ['hunter2'], refusal);
    for (const err of [refusal, failed, new AggregateError([refusal, failed], 'two')]) logger.error({ err }, 'failed');
    const { code, message } = refusal;
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { err: { code, message } },
      { err: { code, message, query: statement } },
      { err: { message: 'two', aggregateErrors: [{ code, message }, { query: statement }] } },
    ]);
    expect(lines.join('')).not.toContain('hunter2');
  });

  it('never prints the arguments of a command that Redis refused', () => {
    const { lines, destination } = capture();
    const logger = createLogger({ app: 'x', replicaId: 'x-0', level: 'info', destination });
    const message = "OOM command not allowed when used memory > 'maxmemory'.";
    const command = { name: 'EVALSHA', args: ['hunter2', Buffer.from('hunter2')] };
    logger.warn({ err: Object.assign(new Error(message), { command }) }, 'failed');
    const [line = ''] = lines;
    expect(JSON.parse(line) as unknown).toMatchObject({ err: { message, command: { name: 'EVALSHA', args: '…' } } });
  });

  it('never prints the password that the nodes of a cluster refused', () => {
    const { lines, destination } = capture();
    const logger = createLogger({ app: 'x', replicaId: 'x-0', level: 'info', destination });
    const message = 'WRONGPASS invalid username-password pair or user is disabled.';
    const command = { name: 'auth', args: ['lanyard', 'hunter2'] };
    const refused = Object.assign(new Error(message), { command });
    const unreachable = Object.assign(new Error('Failed to refresh slots cache.'), { lastNodeError: refused });
    for (const err of [unreachable, new AggregateError([refused], 'one')]) logger.warn({ err }, 'Redis connection');
    const shown = { message, command: { name: 'auth', args: '…' } };
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { err: { message: unreachable.message, lastNodeError: shown } },
      { err: { message: 'one', aggregateErrors: [shown] } },
    ]);
    expect(lines.join('')).not.toContain('hunter2');
  });

  it('does not throw into the code that logs when its disk is full, and says later how many lines are missing', async () => {
    const full = openSync('/dev/full', 'w');
    const logger = createLogger({ app: 'x', replicaId: 'x-0', level: 'info', fd: full });
    for (let n = 0; n < 2_000; n++) logger.info({ n }, 'a line that cannot be written');
    logger.fatal('nor can this one');
    // The same descriptor leads to a file with space from here on: the lowest free one is taken.
    closeSync(full);
    const file = join(mkdtempSync(join(tmpdir(), 'lanyard-log-')), 'log');
    expect(openSync(file, 'w')).toBe(full);
    logger.info('there is space again');
    await new Promise((done) => setImmediate(done));
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    closeSync(full);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { msg: 'there is space again' },
      { msg: 'log lines are missing: they could not be written', lines: 2_001 },
    ]);
  });
});
