import { expect, it } from '@jest/globals';
import { CommandBench } from '../../test/command-bench.js';
import { addSuspension } from './suspension.js';

const id = '0'.repeat(32);

/** Resolves to the note about a device that operator and system have suspended, or not. */
const noteOf = async (line: string, [operator, system]: readonly [boolean, boolean]): Promise<string> => {
  const bench = new CommandBench((request, response) => {
    const device = { id, name: 'meter-1', operator_suspended: operator, system_suspended: system };
    if (request.method !== 'GET') return void request.resume().on('end', () => response.writeHead(204).end());
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(device));
  });
  await bench.run(addSuspension, [...line.split(' '), id]);
  return bench.remarks();
};

it.each([
  ['suspend', [false, false], 'meter-1 is suspended (maintenance).\n'],
  ['resume', [true, false], 'meter-1 is resumed (maintenance).\n'],
  ['resume', [true, true], 'meter-1 is resumed (maintenance). It stays blocked until the system resumes it.\n'],
  ['resume', [false, false], 'meter-1 is not suspended by an operator: nothing has changed.\n'],
  [
    'resume --dry-run',
    [false, true],
    'meter-1 is not suspended by an operator: nothing would change. It stays blocked until the system resumes it.\n',
  ],
] as const)('%s says what becomes of a device that operator and system suspended: %j', async (line, by, note) => {
  expect(await noteOf(line, by)).toBe(note);
});
