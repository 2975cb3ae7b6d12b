import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { fieldProblems } from './validation.js';

const schema = z.strictObject({ list: z.array(z.string()).optional() });
const problemsOf = (body: unknown): ReturnType<typeof fieldProblems> =>
  fieldProblems(schema.safeParse(body).error?.issues ?? []);

describe('the problems of a body', () => {
  it('name the fields', () => {
    expect(problemsOf({ list: ['a', 1], more: 1 })).toEqual([
      { name: 'list.1', message: expect.any(String) },
      { name: 'more', message: 'Unknown field' },
    ]);
  });

  it.each([
    ['wrong items', { list: Array.from({ length: 1_000 }, () => 1) }],
    ['unknown fields', Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`field${n}`, 1]))],
  ])('are the first hundred of many %s', (_, body) => {
    expect(problemsOf(body)).toHaveLength(100);
  });
});
