import { type RunningService, serviceParts, type ServiceOverrides, startService } from '@lanyard/service';
import { AppModule } from './app.module.js';
import { assemble, type Assembly } from './assembly.js';
import type { DeviceProxyConfig } from './config.js';
import { endpointsPrefix } from './endpoints/endpoints.controller.js';
import { openEngines } from './engines.js';
import { CoapUdp } from './transport/coap-udp.js';
import { NoTransport } from './transport/no-transport.js';
import { route } from './uplink/router.js';

export interface RunningProxy extends RunningService {
  /** UDP port of the CoAP listener; 0 when it is off. */
  coapPort: number;
}

const connectDevices = (coap: CoapUdp, accountId: string, { uplinkFor }: Assembly): void => {
  const { uplink, notify } = uplinkFor(accountId);
  coap.onRequest((request) => route(uplink, request));
  coap.link.onNotification((notification) => notify.take(notification));
};

/** Devices come last: what they say is known only when the sessions of before are back. */
const startDevices = async (assembly: Assembly, coap: CoapUdp | undefined): Promise<void> => {
  await assembly.nudges.start();
  await assembly.sessions.restore((sessions) => assembly.interest.loadAll(sessions));
  assembly.heard.start();
  assembly.deliverer.start();
  assembly.catchUp.start();
  assembly.sweeper.start();
  assembly.expiry.start();
  await assembly.expulsion.start();
  await assembly.keys.start();
  await coap?.start();
  await assembly.catchUp.everything();
};

/** The socket closes when what is in flight has its answer, or after a few seconds. */
const stopDevices = async (assembly: Assembly, coap: CoapUdp | undefined): Promise<void> => {
  await Promise.all([assembly.deliverer.stop(), coap?.stop()]);
  assembly.observer.stop();
  await Promise.all([assembly.catchUp.stop(), assembly.sweeper.stop(), assembly.expiry.stop()]);
  await Promise.all([assembly.expulsion.stop(), assembly.keys.stop(), assembly.heard.stop()]);
};

export const start = async (config: DeviceProxyConfig, overrides: ServiceOverrides = {}): Promise<RunningProxy> => {
  const parts = serviceParts(config, overrides);
  const engines = await openEngines(config, parts);
  const coap = config.coap && new CoapUdp(config.coap, parts.logger, parts.metrics);
  const assembly = assemble(config, parts, engines, coap?.link ?? new NoTransport());
  if (coap && config.coap) connectDevices(coap, config.coap.accountId, assembly);
  await Promise.all([engines.lifecycle.start(), engines.keys.start(), engines.accounts.start()]);
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
      http: { rawBodyPrefixes: [endpointsPrefix] },
      afterListen: async () => {
        engines.relay.start();
        await startDevices(assembly, coap);
      },
      beforeStop: () => stopDevices(assembly, coap),
      afterStop: () => engines.close(),
    },
    parts,
  );
  return Object.assign(service, { coapPort: coap?.port ?? 0 });
};
