const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** 128 random bits in hex. `crypto.randomUUID` is missing in pages that were not loaded over TLS. */
export const randomId = (): string => hexOf(crypto.getRandomValues(new Uint8Array(16)));

/** The first 128 bits of the SHA-256 of a text, in hex. Browsers have it in pages that were loaded over TLS only. */
export const digestOf = async (text: string): Promise<string> =>
  hexOf(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)), 0, 16));

export const base64Of = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));

/** Bytes of a payload, which the service writes in base64. */
export const payloadOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));

/** Text of a payload. */
export const textOf = (payload: Uint8Array): string => new TextDecoder().decode(payload);
