import { expect, it } from '@jest/globals';
import { actions, confirmed, possibleIn } from './actions.ts';

const offered: [state: Parameters<typeof possibleIn>[0]['state'], offered: string[]][] = [
  ['draft', ['Start a dry run', 'Start']],
  ['scheduled', ['Pause', 'Abort']],
  ['running', ['Pause', 'Abort']],
  ['paused', ['Resume', 'Abort']],
  ['stopping', ['Abort']],
  ['done', []],
  ['aborted', []],
];

it.each(offered)('offers what the API accepts of a campaign that is %s', (state, expected) => {
  const labels = possibleIn({ state }, actions).map(({ label }) => label);
  const verbs = possibleIn({ state }, confirmed).map(({ verb }) => verb);
  expect([...labels, ...verbs]).toEqual(expected);
});
