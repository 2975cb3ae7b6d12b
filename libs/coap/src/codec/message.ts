/** One option: number and value as on the wire. */
export interface CoapOption {
  number: number;
  value: Buffer;
}

export type MessageType = 'CON' | 'NON' | 'ACK' | 'RST';

/** A CoAP message over UDP (RFC 7252 §3). Options are in ascending order of their numbers. */
export interface CoapMessage {
  type: MessageType;
  /** `class << 5 | detail`; 0 is an empty message. */
  code: number;
  /** 16 bits. */
  messageId: number;
  /** 0 to 8 bytes. */
  token: Buffer;
  options: CoapOption[];
  payload: Buffer;
}
