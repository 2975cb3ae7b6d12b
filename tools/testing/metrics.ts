/** Reads Prometheus pages in tests. */

export type Samples = Map<string, number>;

/** A simulator of thousands of devices that all arrive at once took more than a minute, on cores shared by thirty processes. */
const answerMaxMs = 300_000;

/**
 * Samples by name and labels as they are written on the page. Uses a new connection, because a process that was suspended
 * closes connections that were idle meanwhile, at the very moment when it is asked.
 */
export const scrape = async (url: string): Promise<Samples> => {
  const response = await fetch(`${url}/metrics`, {
    headers: { connection: 'close' },
    signal: AbortSignal.timeout(answerMaxMs),
  });
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at), Number(line.slice(at))];
    }),
  );
};

/** Sums the samples of a metric over all labels, or over those that contain this text. */
export const sum = (samples: Samples, name: string, label = ''): number =>
  [...samples].reduce(
    (total, [key, value]) =>
      (key === name || key.startsWith(`${name}{`)) && key.includes(label) ? total + value : total,
    0,
  );

/** How often an event of DTLS has happened at a replica of the device-proxy. */
export const dtlsEventsAt = async (url: string, event: string): Promise<number> =>
  sum(await scrape(url), 'lanyard_device_proxy_dtls_events_total', `"${event}"`);

/** Sessions that a replica of the device-proxy owns. Rejects when it does not answer. */
export const sessionsAt = async (url: string): Promise<number> =>
  sum(await scrape(url), 'lanyard_device_proxy_sessions');
