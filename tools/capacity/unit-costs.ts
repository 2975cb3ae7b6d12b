/**
 * The cost of one unit of work or memory. A cost with a benchmark is a figure of docs/performance.md, and a test compares the
 * two; the others are estimates, and the report marks them as such.
 */
export interface UnitCost {
  value: number;
  unit: 'µs of CPU' | 'bytes' | 'per second' | 'MB';
  what: string;
  /** The row of docs/performance.md, and the figure in it as it is written there. */
  measured?: { benchmark: string; figure: string };
}

const measured = (
  value: number,
  unit: UnitCost['unit'],
  what: string,
  benchmark: string,
  figure: string,
): UnitCost => ({ value, unit, what, measured: { benchmark, figure } });

const estimate = (value: number, unit: UnitCost['unit'], what: string): UnitCost => ({ value, unit, what });

/** The CPU time of one event, if the two cores of the machine do nothing but handle this many events a second. */
const twoCoresUs = (perSecond: number) => Math.round(2_000_000 / perSecond);

export const unitCosts = {
  value: measured(32.9, 'µs of CPU', 'a value in device-proxy', 'devices-messages', '32.9 µs'),
  valueDtls: measured(15.8, 'µs of CPU', '… more over DTLS (35.3 − 19.5)', 'devices-dtls', '35.3 µs'),
  update: measured(115, 'µs of CPU', 'a registration update in device-proxy', 'devices-messages', '115 µs'),
  registration: measured(293, 'µs of CPU', 'a registration in device-proxy', 'devices-messages', '293 µs'),
  handshakeDtls: measured(189, 'µs of CPU', '… more with a DTLS handshake (296 − 107)', 'devices-dtls', '296 µs'),
  handshakeTls: measured(504, 'µs of CPU', '… more with a TLS handshake, as one of DTLS', 'dtls-handshakes', '504 µs'),
  command: estimate(500, 'µs of CPU', 'a command in device-proxy'),
  dispatched: measured(
    twoCoresUs(68_254),
    'µs of CPU',
    'an event in dispatcher, Redis and broker',
    'dispatch-catch-up',
    '68,254/s',
  ),
  stored: measured(twoCoresUs(77_329), 'µs of CPU', 'a value in snapshot and PostgreSQL', 'snapshot', '77,329/s'),
  storedHistory: measured(twoCoresUs(48_539), 'µs of CPU', '… with its history', 'snapshot', '48,539/s'),
  logged: estimate(26, 'µs of CPU', 'an entry of the event log, as a value in snapshot'),
  registered: estimate(200, 'µs of CPU', 'a registration in registry and PostgreSQL'),
  request: measured(
    twoCoresUs(7_644),
    'µs of CPU',
    'a REST request in all services and PostgreSQL',
    'rest-rate',
    '7,644/s',
  ),
  brokerMessage: estimate(10, 'µs of CPU', 'a message in one broker'),
  session: measured(2_593, 'bytes', 'memory of a registered device with 3 observations', 'devices-memory', '2,593 B'),
  sessionDtls: measured(
    1_463,
    'bytes',
    '… more over DTLS, with its key (3,233 − 1,770)',
    'devices-memory-dtls',
    '3,233 B',
  ),
  sessionTls: estimate(26_000, 'bytes', '… more over TLS'),
  directoryEntry: estimate(500, 'bytes', 'a device in the copy of the directory that every device-proxy has'),
  credential: estimate(300, 'bytes', '… its credential'),
  queued: measured(106, 'bytes', 'an undelivered event in Redis (16.9 MB / 160,000)', 'dispatch-store', '16.9 MB'),
  sessionInRedis: estimate(2_000, 'bytes', 'a session in Redis'),
  messageInKafka: estimate(1_200, 'bytes', 'a value in Kafka, with its headers'),
  resourceRow: estimate(648, 'bytes', 'a resource in snapshot, with indexes'),
  historyValue: measured(110, 'bytes', 'a value of the history, with indexes', 'snapshot', '110 bytes'),
  logEntry: estimate(300, 'bytes', 'an entry of the event log, with indexes'),
  deviceRow: estimate(1_000, 'bytes', 'a device in registry, with indexes'),
  databaseRows: measured(77_329, 'per second', 'values that one PostgreSQL stores', 'snapshot', '77,329/s'),
  databaseRegistrations: estimate(5_000, 'per second', 'registrations that one PostgreSQL records'),
  process: estimate(200, 'MB', 'resident memory of an idle service'),
} satisfies Record<string, UnitCost>;
