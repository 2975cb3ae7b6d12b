import type { CampaignCommandIssued } from '@lanyard/contracts';
import { contentFormat, encodeTlv, mediaTypeOf } from '@lanyard/lwm2m';
import type { WantedCommand } from '../machine/device-update.js';

type Request = Pick<CampaignCommandIssued, 'method' | 'path' | 'contentType' | 'payload' | 'sealedTicket'>;

const text = (value: string): Pick<Request, 'contentType' | 'payload'> => ({
  contentType: 'text/plain',
  payload: Buffer.from(value).toString('base64'),
});

const opaque = 'application/octet-stream';

/** Written to the package URI, an empty text resets object 5; to the package, a NUL does (LwM2M 1.1 core appendix E.6). */
const reset = (delivery: 'pull' | 'push'): Pick<Request, 'contentType' | 'payload'> =>
  delivery === 'pull' ? text('') : { contentType: opaque, payload: Buffer.alloc(1).toString('base64') };

/** An instance of object 9 without values: it has no mandatory resource that a server writes. */
const emptyInstance = (id: number): Pick<Request, 'contentType' | 'payload'> => ({
  contentType: mediaTypeOf(contentFormat.tlv),
  payload: encodeTlv([{ kind: 'object-instance', id, value: Buffer.alloc(0), children: [] }]).toString('base64'),
});

/** The request that a wanted command makes of the device. The device-proxy completes the URI with the ticket. */
export const requestOf = (command: WantedCommand, sealedTicket: string): Request => {
  const { path } = command;
  switch (command.kind) {
    case 'read':
      return { method: 'GET', path };
    case 'create':
      return { method: 'POST', path, ...(command.instance !== null && emptyInstance(command.instance)) };
    case 'write-uri':
      return { method: 'PUT', path, ...text(`${command.baseUrl}/downloads/`), sealedTicket };
    case 'push':
      return { method: 'PUT', path, contentType: opaque, sealedTicket };
    case 'reset':
      return { method: 'PUT', path, ...reset(command.delivery) };
    case 'execute':
      return { method: 'POST', path, ...(command.argument !== undefined && text(command.argument)) };
  }
};

export const needsTicket = ({ kind }: WantedCommand): boolean => kind === 'write-uri' || kind === 'push';
