import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const program = join(import.meta.dirname, 'bare-reporters.ts');

describe('bare reporters', () => {
  it('end with the program that started them, which may be killed', async () => {
    const child = spawn(process.execPath, [program, 'coap://127.0.0.1:9', '0-3', '/3303/0/5700'], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    child.stdin.write('\n');
    const [line] = await once(child.stdout, 'data');
    expect(JSON.parse(String(line))).toMatchObject({ registered: 0 });
    child.stdin.destroy();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});
