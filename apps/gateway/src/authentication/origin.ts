import type { IncomingHttpHeaders } from 'node:http';
import { OtherOrigin, RequestedWithMissing } from '../errors.js';

const requestedWith = 'lanyard';

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Settings that determine the gateway's origin, as clients see it. */
export interface OriginConfig {
  publicUrl?: string | undefined;
  /** X-Forwarded-Proto is trusted only with proxies in front. */
  trustedProxies: number;
}

const publicOrigin = ({ publicUrl }: OriginConfig): string | undefined =>
  publicUrl !== undefined && URL.canParse(publicUrl) ? new URL(publicUrl).origin : undefined;

/** Whether the client used https, which ends in a proxy. */
export const isHttps = (headers: IncomingHttpHeaders, config: OriginConfig): boolean =>
  publicOrigin(config)?.startsWith('https:') ??
  (config.trustedProxies > 0 && String(headers['x-forwarded-proto']).split(',', 1)[0]?.trim() === 'https');

const isOwn = (origin: string, { host }: IncomingHttpHeaders, config: OriginConfig): boolean =>
  origin === publicOrigin(config) || (URL.canParse(origin) && new URL(origin).host === host?.toLowerCase());

/**
 * Throws OtherOrigin if a browser says that another page sent the request. SameSite lets pages of other ports and
 * subdomains pass, and a GET request by a page of this server has no Origin (Fetch §3.2), only Sec-Fetch-Site.
 */
export const requireSameOrigin = (headers: IncomingHttpHeaders, config: OriginConfig): void => {
  const { origin, 'sec-fetch-site': site } = headers;
  const isOther = site !== undefined && site !== 'same-origin' && site !== 'none';
  if (isOther || (origin !== undefined && !isOwn(origin, headers, config))) throw new OtherOrigin();
};

/** Throws OtherOrigin or RequestedWithMissing for a request that another page may have made a browser send. */
export const requireSameOriginWrite = (method: string, headers: IncomingHttpHeaders, config: OriginConfig): void => {
  requireSameOrigin(headers, config);
  if (!safeMethods.has(method) && headers['x-requested-with'] !== requestedWith) throw new RequestedWithMissing();
};
