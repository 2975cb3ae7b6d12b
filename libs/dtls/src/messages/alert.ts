import { AlertDescription } from '../alerts.js';
import { DecodeError } from '../errors.js';
import { Reader } from './reader.js';

/** RFC 5246 §7.2. */
export interface Alert {
  level: 'warning' | 'fatal';
  /** An `AlertDescription`, or one that is not known here. */
  description: number;
}

/** @throws DecodeError */
export function decodeAlert(content: Buffer): Alert {
  const reader = new Reader(content, 'alert');
  const level = reader.uint8();
  const description = reader.uint8();
  reader.expectEnd();
  if (level !== 1 && level !== 2) throw new DecodeError('alert: unknown level', AlertDescription.IllegalParameter);
  return { level: level === 1 ? 'warning' : 'fatal', description };
}

export function encodeAlert({ level, description }: Alert): Buffer {
  return Buffer.from([level === 'warning' ? 1 : 2, description]);
}
