import type { Metrics } from '@lanyard/service';
import type { CoapDtls } from '../transport/coap-dtls.js';
import type { CoapUdp } from '../transport/coap-udp.js';
import type { CertificateRenewal } from './certificate-renewal.js';

/** The metrics are read when they are scraped, because the endpoints count the events anyway. */
export const coapEventsMetric = (metrics: Metrics, listeners: readonly (CoapUdp | CoapDtls | undefined)[]): void => {
  const open = listeners.filter((listener) => listener !== undefined);
  if (open.length === 0) return;
  metrics.counter({
    name: 'lanyard_device_proxy_coap_events_total',
    help: 'What happened to messages, requests and notifications of devices over UDP and DTLS',
    labelNames: ['event', 'scheme'],
    collect() {
      this.reset();
      for (const { scheme, endpoint } of open)
        for (const [event, count] of Object.entries(endpoint.counters())) this.inc({ event, scheme }, count);
    },
  });
};

export const dtlsMetrics = (metrics: Metrics, { transport: { server } }: CoapDtls): void => {
  metrics.counter({
    name: 'lanyard_device_proxy_dtls_events_total',
    help: 'What happened to handshakes, records and connections of devices over DTLS',
    labelNames: ['event'],
    collect() {
      this.reset();
      for (const [event, count] of Object.entries(server.counters())) this.inc({ event }, count);
    },
  });
  metrics.gauge({
    name: 'lanyard_device_proxy_dtls_held',
    help: 'Connections, handshakes in progress, resumable sessions and last flights that the DTLS listener holds',
    labelNames: ['what'],
    collect() {
      for (const [what, count] of Object.entries(server.gauges())) this.set({ what }, count);
    },
  });
};

export const certificateMetric = (metrics: Metrics, renewals: readonly CertificateRenewal[]): void => {
  if (renewals.length === 0) return;
  metrics.gauge({
    name: 'lanyard_device_proxy_certificate_expires_seconds',
    help: 'When the certificate that a listener shows to devices expires, in seconds since 1970',
    labelNames: ['scheme'],
    collect() {
      for (const { scheme, expiresSeconds } of renewals) this.set({ scheme }, expiresSeconds);
    },
  });
};
