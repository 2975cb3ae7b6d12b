import { spawn } from 'node:child_process';
import dgram from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { tcpPort, udpPort } from './lanyard/ports.ts';
import { apps } from './lanyard/service-processes.ts';
import { System } from './lanyard/system.ts';

describe('a port to listen at', () => {
  const closing: (() => void)[] = [];
  afterEach(() => {
    for (const close of closing.splice(0)) close();
  });

  const takenTcp = async (): Promise<number> => {
    const server = net.createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    closing.push(() => server.close());
    return (server.address() as net.AddressInfo).port;
  };

  const takenUdp = async (): Promise<number> => {
    const socket = dgram.createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    closing.push(() => socket.close());
    return socket.address().port;
  };

  it('is the wanted one when that is free', async () => {
    const tcp = await tcpPort(0);
    const udp = await udpPort(0);
    expect([await tcpPort(tcp), await udpPort(udp)]).toEqual([tcp, udp]);
  });

  it('is handed out once, and is none that the system hands out', async () => {
    const ports = [await tcpPort(0), await tcpPort(0), await udpPort(0), await udpPort(0)];
    expect(new Set(ports).size).toBe(ports.length);
    for (const port of ports) expect(port).toBeLessThan(32_768);
  });

  it('is of one process only, however many each of them takes', async () => {
    const many = 300;
    const module = new URL('lanyard/ports.ts', import.meta.url).href;
    const program = `import { tcpPort } from '${module}';
      for (let n = 0; n < ${many}; n++) console.log(await tcpPort(0));
      process.stdin.resume();`;
    const portsOfAProcess = async (): Promise<string[]> => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', program]);
      closing.push(() => child.kill());
      const ports: string[] = [];
      for await (const line of createInterface(child.stdout)) if (ports.push(line) === many) return ports;
      throw new Error('a process ended early');
    };
    const ports = await Promise.all([portsOfAProcess(), portsOfAProcess()]);
    expect(new Set(ports.flat()).size).toBe(2 * many);
  });

  it('is another one when that is taken', async () => {
    const tcp = await takenTcp();
    const udp = await takenUdp();
    const found = [await tcpPort(tcp), await udpPort(udp)];
    expect(found).toEqual([expect.any(Number), expect.any(Number)]);
    expect(found).not.toContain(0);
    expect([found[0] === tcp, found[1] === udp]).toEqual([false, false]);
  });
});

describe('the ports of npm start', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lanyard-ports-'));
  const variables = ['LANYARD_HTTP_PORT', 'LANYARD_COAP_PORT', 'LANYARD_COAPS_PORT'];
  const original = variables.map((name) => [name, process.env[name]] as const);

  afterEach(() => {
    for (const [name, value] of original)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('stay those of the first start, unless the operator names others', async () => {
    const system = new System({ dataDir: folder, quiet: true });
    const planned = async () => {
      const replicas = await system.planReplicas();
      const gateway = replicas.find(({ app }) => app === 'gateway');
      const { coapPort, dtlsPort, tlsPort } = replicas.find(({ app }) => app === 'device-proxy') ?? {};
      return [gateway?.port, coapPort, dtlsPort, tlsPort];
    };
    const [http, coap, dtls, tls] = [await tcpPort(0), await udpPort(0), await udpPort(0), await tcpPort(0)];
    for (const name of variables) delete process.env[name];
    Object.assign(system.file.state.ports, {
      'gateway-0': http,
      'device-proxy-0-coap': coap,
      'device-proxy-0-coap-dtls': dtls,
      'device-proxy-0-coap-tls': tls,
    });
    expect(await planned()).toEqual([http, coap, dtls, tls]);
    const [otherHttp, otherCoap, otherCoaps] = [await tcpPort(0), await udpPort(0), await udpPort(0)];
    process.env['LANYARD_HTTP_PORT'] = String(otherHttp);
    process.env['LANYARD_COAP_PORT'] = String(otherCoap);
    process.env['LANYARD_COAPS_PORT'] = String(otherCoaps);
    expect(await planned()).toEqual([otherHttp, otherCoap, otherCoaps, otherCoaps]);
  });

  it('are different ones, also where the operator names the port of another process', async () => {
    const system = new System({ dataDir: folder, quiet: true });
    const [tcp, udp] = [await tcpPort(0), await udpPort(0)];
    Object.assign(system.file.state.ports, { 'registry-0': tcp, 'device-proxy-0-coap-dtls': udp });
    process.env['LANYARD_HTTP_PORT'] = String(tcp);
    process.env['LANYARD_COAP_PORT'] = String(udp);
    delete process.env['LANYARD_COAPS_PORT'];
    const replicas = await system.planReplicas();
    const [gateway, registry, proxy] = apps.map((app) => replicas.find((replica) => replica.app === app));
    expect([gateway?.port, proxy?.coapPort]).toEqual([tcp, udp]);
    expect([registry?.port === tcp, proxy?.dtlsPort === udp]).toEqual([false, false]);
    expect(system.file.state.ports).toMatchObject({ 'gateway-0': tcp, 'registry-0': registry?.port });
  });

  it('may be those of an IPv6 address, which has brackets in URLs', async () => {
    const system = new System({ dataDir: folder, quiet: true, freePorts: true });
    system.coapHost = '::1';
    system.replicas = await system.planReplicas();
    const { coapPort, dtlsPort, tlsPort } = system.replicas.find(({ app }) => app === 'device-proxy') ?? {};
    expect(coapPort).toBeGreaterThan(0);
    expect([system.coapUrls, system.coapsUrls, system.coapsTcpUrls]).toEqual([
      [`coap://[::1]:${coapPort}`],
      [`coaps://[::1]:${dtlsPort}`],
      [`coaps+tcp://[::1]:${tlsPort}`],
    ]);
  });
});
