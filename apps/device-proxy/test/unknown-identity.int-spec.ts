import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import { newId } from '@lanyard/service';
import { keyHex, SecureTestSystem } from './secure-test-system.js';

/** What `openssl s_client` says of a handshake: whether it was finished, and the alert that it got. */
const handshake = (port: number, identity: string, key: string): Promise<{ connected: boolean; alert?: string }> =>
  new Promise((resolve, reject) => {
    const client = [
      '-connect',
      `127.0.0.1:${port}`,
      '-tls1_2',
      '-cipher',
      'PSK',
      '-psk_identity',
      identity,
      '-psk',
      key,
    ];
    const child = spawn('openssl', ['s_client', ...client]);
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        said += text;
        if (/Verify return code/.test(said)) child.stdin.end();
      });
    child.once('error', reject);
    child.once('close', () => {
      const alert = /SSL alert number (\d+)/.exec(said)?.[1];
      resolve({ connected: /Cipher is (?!\(NONE\))/.test(said) && alert === undefined, ...(alert && { alert }) });
    });
  });

describe('a TLS client that shows an identity', () => {
  let secured: SecureTestSystem;

  beforeAll(async () => {
    secured = await SecureTestSystem.create('unknown-identity');
  });
  afterAll(() => secured?.close());

  it('without a credential is refused with the same alert as one with a wrong key', async () => {
    const { identity } = await secured.directory('known');
    const port = secured.proxy.tlsPort;
    await eventually(async () => expect(await handshake(port, identity, keyHex)).toEqual({ connected: true }));
    const refused = async (): Promise<number> => {
      const text = await (await fetch(`${secured.proxy.url}/metrics`)).text();
      return Number(/refused_credentials_total\{[^}]*reason="unknown-identity"[^}]*\} (\d+)/.exec(text)?.[1] ?? 0);
    };
    // Its identity was unknown too, until the replica had read the credential.
    const before = await refused();
    const wrongKey = await handshake(port, identity, 'ff'.repeat(16));
    expect(wrongKey).toEqual({ connected: false, alert: expect.any(String) });
    for (const unknown of ['unknown', newId(), `${identity}-`])
      expect(await handshake(port, unknown, keyHex)).toEqual(wrongKey);
    expect((await refused()) - before).toBe(3);
  });
});
