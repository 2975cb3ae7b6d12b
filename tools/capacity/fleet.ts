import { connectionsMaxDefault } from '../../apps/device-proxy/src/limits.ts';

/** A fleet and its requirements. Shares are between 0 and 1. */
export interface Fleet {
  devices: number;
  /** Observed resources of each device, and the time between two values of one resource. */
  observed: number;
  valueSeconds: number;
  updateSeconds: number;
  commandsPerDay: number;
  /** REST requests of applications, for each device. */
  requestsPerDay: number;
  dtlsShare: number;
  tlsShare: number;
  /** Channels that get each value. */
  channels: number;
  /** How long all applications may be away without losing events (spec §8: 24 h at most). */
  offlineHours: number;
  /** After an outage, all devices register again within this time. */
  recoverySeconds: number;
  /** 0: no value history. */
  historyDays: number;
  eventLogDays: number;
  /** Memory of one pod of device-proxy. */
  podGiB: number;
  /** Connections that one pod of device-proxy accepts. */
  dtlsConnections: number;
  tlsConnections: number;
  partitions: number;
}

/** Per month, in any currency. */
export interface Prices {
  core: number;
  memoryGiB: number;
  diskGiB: number;
}

export const usualFleet: Fleet = {
  devices: 1_000_000,
  observed: 3,
  valueSeconds: 600,
  updateSeconds: 3_600,
  commandsPerDay: 1,
  requestsPerDay: 5,
  dtlsShare: 0.5,
  tlsShare: 0,
  channels: 1,
  offlineHours: 1,
  recoverySeconds: 3_600,
  historyDays: 0,
  eventLogDays: 180,
  podGiB: 4,
  dtlsConnections: connectionsMaxDefault.dtls,
  tlsConnections: connectionsMaxDefault.tls,
  partitions: 8,
};

export const usualPrices: Prices = { core: 25, memoryGiB: 3.5, diskGiB: 0.1 };

export interface Rates {
  values: number;
  updates: number;
  /** Rate while a fleet comes back. */
  registrations: number;
  commands: number;
  requests: number;
  /** Events that channels receive. */
  events: number;
}

const daySeconds = 86_400;

/** The rates of a fleet per second. */
export const ratesOf = (fleet: Fleet): Rates => {
  const values = (fleet.devices * fleet.observed) / fleet.valueSeconds;
  const commands = (fleet.devices * fleet.commandsPerDay) / daySeconds;
  return {
    values,
    updates: fleet.devices / fleet.updateSeconds,
    registrations: fleet.devices / fleet.recoverySeconds,
    commands,
    requests: commands + (fleet.devices * fleet.requestsPerDay) / daySeconds,
    events: (values + commands) * fleet.channels,
  };
};
