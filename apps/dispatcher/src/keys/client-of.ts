import type { IncomingMessage } from 'node:http';

/** The address of the client. The gateway sets the header, in place of what the client sent. */
export const clientOf = ({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): string =>
  String(headers['x-forwarded-for'] ?? socket.remoteAddress ?? '');
