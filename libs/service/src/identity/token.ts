import { createHmac, timingSafeEqual } from 'node:crypto';

/** Who calls, as the gateway found out. */
export interface Identity {
  accountId: string;
  keyId: string;
  groups: string[];
  permissions: string[];
  tier: 'free' | 'commercial';
  /** Not in the token: it is a header of its own, so that a token serves several requests. */
  requestId: string;
  /** `fingerprintOf` the secret with which the caller came: a key that is reset keeps its id. */
  secretFingerprint?: string;
  /** The request is traced: what it causes goes on with this. */
  traceParent?: string;
}

/** Header in which the gateway hands the token to the service that owns the path. */
export const identityHeader = 'x-lanyard-identity';

/** Long enough for the slowest forwarding, short enough to be worthless when found in a dump. */
export const identityLifeMs = 30_000;

const mac = (payload: string, secret: string): Buffer => createHmac('sha256', secret).update(payload).digest();

/** `<base64url of JSON>.<base64url of HMAC-SHA256>`, signed with the first secret. */
export const signIdentity = (
  identity: Omit<Identity, 'requestId'>,
  secrets: readonly string[],
  nowMs: number,
): string => {
  const content = { ...identity, requestId: undefined, traceParent: undefined, exp: nowMs + identityLifeMs };
  const payload = Buffer.from(JSON.stringify(content)).toString('base64url');
  return `${payload}.${mac(payload, secrets[0] as string).toString('base64url')}`;
};

/** What a token says. */
export interface VerifiedIdentity {
  identity: Omit<Identity, 'requestId' | 'traceParent'>;
  /** It says nothing from then on. */
  untilMs: number;
}

/** undefined for a token that no secret signed, or that has expired. */
export const verifyIdentity = (
  token: string,
  secrets: readonly string[],
  nowMs: number,
): VerifiedIdentity | undefined => {
  const [payload, signature] = token.split('.');
  if (!payload || !signature) return undefined;
  const given = Buffer.from(signature, 'base64url');
  const matches = secrets.some((secret) => {
    const expected = mac(payload, secret);
    return expected.length === given.length && timingSafeEqual(expected, given);
  });
  if (!matches) return undefined;
  const { exp, ...identity } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Identity & {
    exp: number;
  };
  return exp >= nowMs ? { identity, untilMs: exp } : undefined;
};
