import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { npmFolder } from './base-images.ts';

describe('the stand-in of the Node image', () => {
  it('has the npm of this machine, whichever node runs it', () => {
    expect(existsSync(join(npmFolder(), 'bin/npm-cli.js'))).toBe(true);
  });
});
