import { type KeyObject, sign, verify } from 'node:crypto';

/** The caller, as authenticated by the gateway. */
export interface Identity {
  accountId: string;
  keyId: string;
  groups: string[];
  permissions: string[];
  /** Ids of the device groups that the caller is limited to; absent: all devices of the account. */
  deviceGroups?: readonly string[];
  tier: 'free' | 'commercial';
  /** Not in the token: it is a header of its own, so that a token serves several requests. */
  requestId: string;
  /** `fingerprintOf` the secret of the caller: a key that is reset keeps its id. */
  secretFingerprint?: string;
  /** Trace context of the request, for everything that it causes. */
  traceParent?: string;
}

/** What a caller may see: the whole account, or only what concerns the device groups in it that the caller is limited to. */
export type AccessScope = Pick<Identity, 'accountId' | 'deviceGroups'>;

/** Header in which the gateway hands the token to the service that owns the path. */
export const identityHeader = 'x-lanyard-identity';

/** Long enough for the slowest forwarding, short enough to be worthless when found in a dump. */
export const identityLifeMs = 30_000;

/** Claims of a token beside the identity. */
interface Claims {
  /** The service that the token is for, by the name of its app. */
  aud: string;
  /** Unix time in ms. */
  exp: number;
}

/** `<base64url of JSON>.<base64url of an Ed25519 signature>`. `audience`: the only service that accepts the token. */
export const signIdentity = (
  identity: Omit<Identity, 'requestId'>,
  audience: string,
  privateKey: KeyObject,
  nowMs: number,
): string => {
  const claims: Claims = { aud: audience, exp: nowMs + identityLifeMs };
  const content = { ...identity, requestId: undefined, traceParent: undefined, ...claims };
  const payload = Buffer.from(JSON.stringify(content)).toString('base64url');
  return `${payload}.${sign(null, Buffer.from(payload), privateKey).toString('base64url')}`;
};

export interface VerifiedIdentity {
  identity: Omit<Identity, 'requestId' | 'traceParent'>;
  untilMs: number;
}

/** undefined for a token that is for another service, has expired, or that none of the keys verifies. */
export const verifyIdentity = (
  token: string,
  audience: string,
  publicKeys: readonly KeyObject[],
  nowMs: number,
): VerifiedIdentity | undefined => {
  const [payload, signature] = token.split('.');
  if (!payload || !signature) return undefined;
  const [signed, given] = [Buffer.from(payload), Buffer.from(signature, 'base64url')];
  if (!publicKeys.some((key) => verify(null, signed, key, given))) return undefined;
  const { aud, exp, ...identity } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Identity & Claims;
  return aud === audience && exp >= nowMs ? { identity, untilMs: exp } : undefined;
};
