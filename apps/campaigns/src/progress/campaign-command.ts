import type { CampaignCommandIssued } from '@lanyard/contracts';
import type { WantedCommand } from '../machine/device-update.js';

type Request = Pick<CampaignCommandIssued, 'method' | 'path' | 'contentType' | 'payload' | 'sealedTicket'>;

const paths = { package: '/5/0/0', packageUri: '/5/0/1', update: '/5/0/2' } as const;

const text = (value: string): Pick<Request, 'contentType' | 'payload'> => ({
  contentType: 'text/plain',
  payload: Buffer.from(value).toString('base64'),
});

const opaque = 'application/octet-stream';

/** Written to the package URI, an empty text resets the state machine; to the package, a NUL does (LwM2M 1.1 E.6). */
const reset = (delivery: 'pull' | 'push'): Request =>
  delivery === 'pull'
    ? { method: 'PUT', path: paths.packageUri, ...text('') }
    : { method: 'PUT', path: paths.package, contentType: opaque, payload: Buffer.alloc(1).toString('base64') };

/** The request that a wanted command makes of the device. The device-proxy completes the URI with the ticket. */
export const requestOf = (command: WantedCommand, sealedTicket: string): Request => {
  switch (command.kind) {
    case 'read':
      return { method: 'GET', path: command.path };
    case 'write-uri':
      return { method: 'PUT', path: paths.packageUri, ...text(`${command.baseUrl}/downloads/`), sealedTicket };
    case 'push':
      return { method: 'PUT', path: paths.package, contentType: opaque, sealedTicket };
    case 'reset':
      return reset(command.delivery);
    case 'execute':
      return { method: 'POST', path: paths.update };
  }
};

export const needsTicket = ({ kind }: WantedCommand): boolean => kind === 'write-uri' || kind === 'push';
