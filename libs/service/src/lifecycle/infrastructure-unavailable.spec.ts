import { expect, it } from '@jest/globals';
import { reached } from './infrastructure-unavailable.js';

it.each([
  ['a message', new Error('no pg_hba.conf entry'), 'no pg_hba.conf entry'],
  ['a name alone', new RangeError(), 'RangeError'],
  [
    'an error for each address of its host',
    new AggregateError([new Error('connect ECONNREFUSED ::1:5432'), new Error('connect ECONNREFUSED 127.0.0.1:5432')]),
    'connect ECONNREFUSED ::1:5432; connect ECONNREFUSED 127.0.0.1:5432',
  ],
])('why a server cannot be reached is said from %s', async (_, error, reason) => {
  await expect(reached('PostgreSQL', 'localhost:5432', Promise.reject(error))).rejects.toThrow(
    `PostgreSQL at localhost:5432 cannot be reached: ${reason}`,
  );
});
