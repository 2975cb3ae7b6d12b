/** The position of the newest value of an observation (RFC 7641 §3.4). */
export interface ObserveSequence {
  /** The Observe number of the value. */
  number: number;
  /** Fingerprint of the payload. */
  print: number;
  atMs: number;
}

/** By token, in hex. */
export type ObserveSequences = ReadonlyMap<string, ObserveSequence>;

/** The form that Redis stores with the session: `<token>:<number>:<print>:<at ms>`, joined by spaces. */
export const writeObserveSequences = (newest: ObserveSequences): string => {
  let text = '';
  for (const [token, { number, print, atMs }] of newest)
    text += `${text && ' '}${token}:${number}:${print}:${Math.round(atMs)}`;
  return text;
};

export const readObserveSequences = (text: string): ObserveSequences =>
  new Map(
    text
      .split(' ')
      .filter(Boolean)
      .map((one) => {
        const [token = '', ...rest] = one.split(':');
        const [number = 0, print = 0, atMs = 0] = rest.map(Number);
        return [token, { number, print, atMs }];
      }),
  );
