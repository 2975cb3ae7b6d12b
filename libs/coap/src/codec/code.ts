const code = (codeClass: number, detail: number): number => (codeClass << 5) | detail;

/** CoAP method and response codes as they are on the wire: `class << 5 | detail` (RFC 7252 §3 and §12.1, 7959, 8132). */
export const Code = {
  Empty: code(0, 0),
  GET: code(0, 1),
  POST: code(0, 2),
  PUT: code(0, 3),
  DELETE: code(0, 4),
  FETCH: code(0, 5),
  PATCH: code(0, 6),
  IPATCH: code(0, 7),
  Created: code(2, 1),
  Deleted: code(2, 2),
  Valid: code(2, 3),
  Changed: code(2, 4),
  Content: code(2, 5),
  Continue: code(2, 31),
  BadRequest: code(4, 0),
  Unauthorized: code(4, 1),
  BadOption: code(4, 2),
  Forbidden: code(4, 3),
  NotFound: code(4, 4),
  MethodNotAllowed: code(4, 5),
  NotAcceptable: code(4, 6),
  RequestEntityIncomplete: code(4, 8),
  Conflict: code(4, 9),
  PreconditionFailed: code(4, 12),
  RequestEntityTooLarge: code(4, 13),
  UnsupportedContentFormat: code(4, 15),
  InternalServerError: code(5, 0),
  NotImplemented: code(5, 1),
  BadGateway: code(5, 2),
  ServiceUnavailable: code(5, 3),
  GatewayTimeout: code(5, 4),
  ProxyingNotSupported: code(5, 5),
} as const;

const notations = Array.from({ length: 256 }, (_, code) => `${code >> 5}.${String(code & 0x1f).padStart(2, '0')}`);

/** The usual notation with a dot: 69 becomes `2.05`. */
export function formatCode(code: number): string {
  return notations[code & 0xff] as string;
}

/** A method: class 0 and not empty. Unassigned methods count too, the answer to them is 4.05. */
export function isRequestCode(code: number): boolean {
  return code > 0 && code < 32;
}

/** An answer: classes 2 to 5. */
export function isResponseCode(code: number): boolean {
  return code >= 64 && code < 192;
}

/** Signalling between two ends of a connection: class 7 (RFC 8323 §5.1). */
export function isSignalCode(code: number): boolean {
  return code >> 5 === 7;
}

/** A success: class 2. */
export function isSuccessCode(code: number): boolean {
  return code >> 5 === 2;
}
