import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerOptions } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { RunningService } from '@lanyard/service';
import { type Certified, certificateAuthority, eventsOf, eventually, parseMessage, selfSigned } from '@lanyard/testing';
import { type Answer, type Customer, TestSystem, payloads } from './test-system.js';

const secondMs = 1_000;
const dayMs = 86_400_000;

describe('callbacks over HTTPS', () => {
  let system: TestSystem;
  let service: RunningService;
  let customer: Customer;
  let received: string[];
  const servers: Server[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'dispatcher-https-'));
  const trusted = certificateAuthority('Operator');
  const issuer = certificateAuthority('Public');

  const file = (name: string, content: string): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };

  beforeAll(async () => {
    const organizations = issuer.intermediate('Organizations');
    const { certificate, privateKey } = organizations.issue('notifications.example');
    system = await TestSystem.create('https');
    service = await system.startReplica('dispatcher-0', {
      DISPATCHER_CALLBACK_ALLOW_CIDRS: '127.0.0.0/8,::1/128',
      DISPATCHER_CALLBACK_CA_FILE: file('bundle.pem', trusted.certificate),
      DISPATCHER_CALLBACK_CERTIFICATE_FILE: file('chain.pem', certificate + organizations.certificate),
      DISPATCHER_CALLBACK_PRIVATE_KEY_FILE: file('key.pem', privateKey),
    });
  });

  afterAll(async () => {
    await system?.drop();
    rmSync(folder, { recursive: true });
  });

  beforeEach(async () => {
    customer = await system.customer();
    received = [];
  });

  afterEach(async () => {
    system.clock.resume();
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    }
  });

  /** An application that shows this certificate. */
  const application = ({ certificate, privateKey }: Certified, options: ServerOptions = {}): Server => {
    const server = createServer({ cert: certificate, key: privateKey, ...options }, (request, response) => {
      let body = '';
      request.on('data', (part: Buffer) => (body += part.toString()));
      request.on('end', () => {
        received.push(body);
        response.writeHead(204).end();
      });
    });
    servers.push(server);
    return server;
  };

  const listening = async (server: TcpServer): Promise<string> => {
    await new Promise<void>((isListening) => server.listen(0, 'localhost', isListening));
    return `https://localhost:${(server.address() as AddressInfo).port}/hook`;
  };

  const receiver = (certified: Certified): Promise<string> => listening(application(certified));

  const register = (url: string): Promise<Answer> =>
    system.call(service, customer, 'PUT', 'callback', { url }, { headers: { accept: 'application/json' } });

  it('one that the operator’s bundle vouches for is called', async () => {
    const url = await receiver(trusted.issue('localhost'));
    expect((await register(url)).status).toBe(200);
    await system.value(customer, 'over TLS');
    await eventually(() => expect(received).toHaveLength(2));
    expect(received[0]).toBe('{}');
    expect(parseMessage(received[1] ?? '')).toMatchObject({ notifications: [{}] });
  });

  it('one that asks for a certificate gets that of the service, with its chain (spec §5 rule 10)', async () => {
    const shown: string[] = [];
    const server = application(trusted.issue('localhost'), { requestCert: true, ca: issuer.certificate });
    server.on('secureConnection', (socket) => {
      const { subject, issuerCertificate } = socket.getPeerCertificate(true);
      shown.push(String(subject.CN), String(issuerCertificate.subject.CN));
    });
    expect((await register(await listening(server))).status).toBe(200);
    expect(shown.slice(0, 2)).toEqual(['notifications.example', 'Organizations']);
  });

  it('one that accepts connections and says nothing: each retry makes its own, and arrives once it speaks', async () => {
    const server = application(trusted.issue('localhost'));
    const silent: Socket[] = [];
    let speaks = true;
    const front = createTcpServer((socket) => (speaks ? server.emit('connection', socket) : silent.push(socket)));
    expect((await register(await listening(front))).status).toBe(200);
    speaks = false;
    system.clock.slowDown();
    await system.value(customer, 'kept');
    for (const attempt of [1, 2, 3]) {
      await eventually(() => expect(silent).toHaveLength(attempt));
      system.clock.jump(20 * secondMs);
      await eventually(async () =>
        expect((await system.call(service, customer, 'GET', 'callback')).body).toMatchObject({ failures: attempt }),
      );
      speaks = attempt === 3;
      system.clock.jump(2 ** (attempt - 1) * secondMs);
    }
    await eventually(() => expect(received).toHaveLength(2));
    expect(payloads(eventsOf([parseMessage(received[1] ?? '')], 'notifications'))).toEqual(['kept']);
    for (const socket of silent) socket.destroy();
    front.close();
  });

  it.each<[string, () => Certified, string]>([
    ['its issuer is unknown', () => certificateAuthority('Stranger').issue('localhost'), 'is not trusted'],
    ['it signed itself', () => selfSigned('localhost'), 'is not trusted'],
    ['it is for another name', () => trusted.issue('other.example'), 'is for another name'],
    [
      'it has expired',
      () => trusted.issue('localhost', { notAfter: new Date(Date.now() - dayMs / 24) }),
      'has expired',
    ],
    [
      'it is of tomorrow',
      () => trusted.issue('localhost', { notBefore: new Date(Date.now() + dayMs) }),
      'is not valid yet',
    ],
  ])('400 when %s, and nothing is sent', async (_, certified, why) => {
    const answer = await register(await receiver(certified()));
    expect(answer).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining(`its certificate`), fields: [{ name: 'url' }] },
    });
    expect(answer.text).toContain(why);
    expect(received).toEqual([]);
  });

  it('400 when the server does not speak TLS', async () => {
    const url = (await receiver(trusted.issue('localhost'))).replace('https', 'http');
    expect(await register(url)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('not reachable') },
    });
  });
});
