import { expect, it } from '@jest/globals';
import { consequenceOf, whyNotRotate } from './rotation.ts';

const key = { id: 'a' };
/** The answer to its rotation may have been lost. */
const rotated = { ...key, previous_secret_expires_at: '2098-01-02T03:04:05.000000Z' };

it('says that another rotation ends the secret before the current one', () => {
  expect(consequenceOf(key)).not.toMatch(/immediately/);
  expect(consequenceOf(rotated)).toMatch(/2098.* becomes invalid immediately/);
});

it('does not end the secret that the session may rely on, with which the new one would be lost', () => {
  expect(whyNotRotate(key, 'a')).toBeUndefined();
  expect(whyNotRotate(rotated, 'b')).toBeUndefined();
  expect(whyNotRotate(rotated, 'a')).toMatch(/2098.* end your session/);
});
