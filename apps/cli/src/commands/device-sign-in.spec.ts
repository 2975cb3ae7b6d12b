import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { Lanyard, ServiceUnavailable } from '@lanyard/client';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type LocalHttpServer, serve } from '@lanyard/testing';
import { Output } from '../output/output.js';
import { signInWithDevice } from './device-sign-in.js';

type Answer = (response: ServerResponse) => void;

const session: Answer = (response) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ token: 'ls_1' }));
const unavailable: Answer = (response) => void response.writeHead(503).end();

describe('the device flow', () => {
  let server: LocalHttpServer | undefined;

  afterEach(() => server?.stop());

  /** Polls are answered in turn. */
  const signIn = async (expiresInSeconds: number, ...polls: Answer[]): Promise<unknown> => {
    const flow = { device_code: 'd', user_code: 'u', verification_uri: 'http://p', interval: 0 };
    const begun = JSON.stringify({ ...flow, expires_in: expiresInSeconds });
    server = await serve((request, response) => {
      request.resume().on('end', () => {
        if (request.url?.endsWith('/token')) return polls.shift()?.(response);
        response.writeHead(200, { 'content-type': 'application/json' }).end(begun);
      });
    });
    const lanyard = new Lanyard({ baseUrl: server.url, key: '' });
    const out = new Output(new PassThrough(), new PassThrough(), { json: false, quiet: false, colour: false });
    return signInWithDevice(lanyard, out, new AbortController().signal);
  };

  it.each<[string, Answer]>([
    ['503', unavailable],
    ['no answer', (response) => void response.destroy()],
  ])('continues after %s', async (_, passing) => {
    expect(await signIn(600, passing, session)).toEqual({ token: 'ls_1' });
  });

  it('ends with the failure once the code has expired', async () => {
    await expect(signIn(0, unavailable)).rejects.toThrow(ServiceUnavailable);
  });
});
