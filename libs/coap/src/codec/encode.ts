import { UnencodableMessage } from '../errors.js';
import { bodyLength, writeBody } from './body.js';
import { codeProblem } from './decode.js';
import { type CoapMessage, type MessageType } from './message.js';

const TYPE_BITS: Record<MessageType, number> = { CON: 0, NON: 1, ACK: 2, RST: 3 };

/**
 * Writes one datagram; `decodeMessage` reads an equal message back. The argument is not changed.
 * @throws UnencodableMessage for a message that could not be read back
 */
export function encodeMessage(message: CoapMessage): Buffer {
  const { type, code, messageId, token } = message;
  if (token.length > 8) throw new UnencodableMessage('A token has at most 8 bytes');
  if (!Number.isInteger(messageId) || messageId < 0 || messageId > 65_535) {
    throw new UnencodableMessage(`No message id: ${messageId}`);
  }
  const problem = !Number.isInteger(code) || code < 0 || code > 255 ? 'no code' : codeProblem(type, code);
  if (problem !== undefined) throw new UnencodableMessage(`Not encodable: ${problem}`);
  const content = token.length + bodyLength(message);
  if (code === 0 && content > 0) throw new UnencodableMessage('An empty message has no content');
  const datagram = Buffer.allocUnsafe(4 + content);
  datagram[0] = 0x40 | (TYPE_BITS[type] << 4) | token.length;
  datagram[1] = code;
  datagram.writeUInt16BE(messageId, 2);
  token.copy(datagram, 4);
  writeBody(message, datagram, 4 + token.length);
  return datagram;
}

/** An empty acknowledgement or Reset: four bytes. */
export function encodeEmpty(type: 'ACK' | 'RST' | 'CON', messageId: number): Buffer {
  const datagram = Buffer.allocUnsafe(4);
  datagram[0] = 0x40 | (TYPE_BITS[type] << 4);
  datagram[1] = 0;
  datagram.writeUInt16BE(messageId, 2);
  return datagram;
}
