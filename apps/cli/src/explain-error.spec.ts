import { InvalidPathValue } from '@lanyard/client';
import { describe, expect, it } from '@jest/globals';
import { exitCodes } from './errors.js';
import { explainError } from './explain-error.js';

const { refused, usage } = exitCodes;

describe('an error of the system', () => {
  it.each([
    ['ENOSPC', refused],
    ['EIO', refused],
    ['EMFILE', refused],
    ['ENOENT', usage],
    ['EACCES', usage],
    ['EISDIR', usage],
  ])('%s is wrong usage only if it is about the name of a file', (code, exitCode) => {
    const error = Object.assign(new Error(`${code}: it failed`), { code, errno: -1, syscall: 'write' });
    expect(explainError(error)).toEqual({ message: error.message, exitCode });
  });

  it('an argument that Node refuses is wrong usage, and any other error is none', () => {
    const error = Object.assign(new RangeError('out of range'), { code: 'ERR_OUT_OF_RANGE' });
    expect(explainError(error)).toEqual({ message: 'out of range', exitCode: usage });
    expect(explainError(new Error('unexpected'))).toEqual({ message: 'unexpected', exitCode: refused });
  });
});

it('an id that would make the path of a request another one is wrong usage', () => {
  const error = new InvalidPathValue('GET /v3/device-requests/{asyncId}: asyncId cannot be ""');
  expect(explainError(error)).toEqual({ message: 'asyncId cannot be "".', exitCode: usage });
});
