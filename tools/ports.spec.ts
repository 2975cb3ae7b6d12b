import dgram from 'node:dgram';
import { once } from 'node:events';
import net from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { tcpPort, udpPort } from './lanyard/ports.ts';

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

  it('is another one when that is taken', async () => {
    const tcp = await takenTcp();
    const udp = await takenUdp();
    const found = [await tcpPort(tcp), await udpPort(udp)];
    expect(found).toEqual([expect.any(Number), expect.any(Number)]);
    expect(found).not.toContain(0);
    expect([found[0] === tcp, found[1] === udp]).toEqual([false, false]);
  });
});
