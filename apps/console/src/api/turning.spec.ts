import { expect, it } from '@jest/globals';
import { settled } from './turning.ts';

it('does not turn to the page after rows of another page, which are shown while its own are being read', () => {
  const turned: string[] = [];
  const turning = {
    page: 2,
    next: (lastId: string) => void turned.push(lastId),
    previous: () => void turned.push('back'),
  };
  settled(turning, true).next('last of page 3');
  settled(turning, true).previous();
  settled(turning, false).next('last of page 2');
  expect(turned).toEqual(['back', 'last of page 2']);
});
