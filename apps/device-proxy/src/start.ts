import { awaiting, serviceParts, type ServiceOverrides, startService, type StartedService } from '@lanyard/service';
import { AppModule } from './app.module.js';
import { assemble, type Assembly } from './assembly.js';
import type { DeviceProxyConfig } from './config.js';
import { endpointsPrefix } from './endpoints/endpoints.controller.js';
import { AccountSuspensions } from './suspension/account-suspensions.js';
import { Withdrawals } from './credentials/withdrawals.js';
import { openEngines } from './engines.js';
import { modelsPrefix } from './models/object-models.controller.js';
import { DeviceLinks } from './transport/device-links.js';
import type { Scheme } from './transport/peer-address.js';
import { openTransports, type Transports } from './transports.js';
import { route } from './uplink/router.js';

export interface RunningProxy extends StartedService {
  /** UDP port of the CoAP listener; 0 when it is off. */
  coapPort: number;
  /** TCP ports of the listeners for TLS and plain TCP; 0 when they are off. */
  tlsPort: number;
  tcpPort: number;
}

const connectDevices = ({ all, streams, refusals }: Transports, assembly: Assembly): void => {
  const { admission, notify, sessions, uplink } = assembly;
  for (const transport of all) {
    transport.uplink.onRequest((request) => route(uplink, request));
    transport.link.onNotification((notification) => notify.take(notification));
  }
  for (const stream of streams)
    stream.onGone((accountId, address) => {
      const session = sessions.at(accountId, address);
      // Commands wait until the device is heard again.
      if (session) session.silent = true;
    });
  admission.onRefused(({ accountId, deviceId }, shown) =>
    refusals.report('wrong-endpoint-name', { accountId, deviceId, shown }),
  );
};

/** Devices come last: what they say is known only when the sessions of before are back. */
const startDevices = async (assembly: Assembly, { all }: Transports): Promise<void> => {
  await awaiting('Redis: messages of other replicas', assembly.nudges.start());
  const restored = assembly.sessions.restore((sessions) => assembly.interest.loadAll(sessions));
  await awaiting('Redis and PostgreSQL: sessions and their subscriptions', restored);
  assembly.sessions.pauses.start();
  assembly.heard.start();
  assembly.deliverer.start();
  assembly.catchUp.start();
  assembly.sweeper.start();
  assembly.expiry.start();
  await assembly.expulsion.start();
  await assembly.keys.start();
  await Promise.all(all.map((transport) => transport.start()));
  await awaiting('Redis and PostgreSQL: what changed meanwhile', assembly.catchUp.everything());
};

/** The sockets close when what is in flight has its answer, or after a few seconds. */
const stopDevices = async (assembly: Assembly, { all }: Transports): Promise<void> => {
  await assembly.callers.stop();
  // Where observations stand is known to the sockets.
  await assembly.heard.flush();
  await Promise.all([assembly.deliverer.stop(), ...all.map((transport) => transport.stop())]);
  assembly.observer.stop();
  assembly.sessions.pauses.stop();
  await Promise.all([assembly.catchUp.stop(), assembly.sweeper.stop(), assembly.expiry.stop()]);
  await Promise.all([assembly.expulsion.stop(), assembly.keys.stop(), assembly.heard.stop()]);
};

export const start = async (config: DeviceProxyConfig, overrides: ServiceOverrides = {}): Promise<RunningProxy> => {
  const parts = serviceParts(config, overrides);
  const engines = await openEngines(config, parts);
  const transports = openTransports(config, parts, engines);
  const links = new DeviceLinks(new Map(transports.all.map(({ scheme, link }) => [scheme, link])));
  const assembly = assemble(config, parts, engines, links);
  connectDevices(transports, assembly);
  const { book } = transports;
  const { sessions, facts } = assembly;
  const { clock, logger } = parts;
  const withdrawals = book && new Withdrawals({ book, sessions, facts, clock, logger });
  const suspensions = new AccountSuspensions({
    accounts: engines.accounts,
    sessions,
    facts,
    disconnect: (accountId) => {
      for (const stream of transports.streams) stream.disconnect(accountId, 'Account suspended');
    },
    clock,
    logger,
  });
  const { lifecycle, keys, accounts, credentials, models } = engines;
  await Promise.all([lifecycle, keys, accounts, credentials, models].map((reader) => reader.start()));
  parts.metrics.gauge({
    name: 'lanyard_device_proxy_sessions',
    help: 'Sessions of devices that this replica owns',
    collect() {
      this.set(assembly.sessions.size);
    },
  });
  const service = await startService(
    config,
    {
      title: 'Lanyard device proxy',
      module: AppModule.of(assembly),
      http: { rawBodyPrefixes: [endpointsPrefix, modelsPrefix] },
      afterListen: async () => {
        engines.relay.start();
        await startDevices(assembly, transports);
        withdrawals?.start();
        suspensions.start();
      },
      beforeStop: async () => {
        await stopDevices(assembly, transports);
        await withdrawals?.stop();
        await suspensions.stop();
      },
      afterStop: () => engines.close(),
    },
    parts,
  );
  const portOf = (scheme: Scheme): number => transports.all.find((one) => one.scheme === scheme)?.port ?? 0;
  return Object.assign(service, {
    coapPort: portOf('coap'),
    tlsPort: portOf('coaps+tcp'),
    tcpPort: portOf('coap+tcp'),
  });
};
