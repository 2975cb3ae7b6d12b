/** The application behind an endpoint: it reads all parts of a message, as the device-proxy does. */
import {
  contentFormat,
  decodeSend,
  decodeValues,
  Malformed,
  parseLinks,
  parseRegistration,
  parseUpdate,
  removeRoot,
  standardModels,
  UnsupportedFormat,
  WrongParameter,
} from '@lanyard/lwm2m';
import { Code, type CoapRequest, type CoapResponse } from '@lanyard/coap';

const models = standardModels();
const large = Buffer.alloc(3_000, 'x');

/** An error that a handler throws on purpose: the peer gets 5.00. Any other error is a finding. */
export class Planned extends Error {}

const orRefused = (read: () => unknown) => {
  try {
    read();
    return true;
  } catch (error) {
    if (error instanceof Malformed || error instanceof WrongParameter || error instanceof UnsupportedFormat)
      return false;
    throw error;
  }
};

export const answer = async ({
  method,
  path,
  query,
  payload,
  contentFormat: format,
}: CoapRequest): Promise<CoapResponse> => {
  const [first, second] = path;
  if (first === 'fail') throw new Planned('as asked');
  if (first === 'large') return { code: Code.Content, payload: large, contentFormat: contentFormat.opaque };
  const isRegistration = first === 'rd' && second === undefined;
  const read = () => {
    if (isRegistration) parseRegistration(query);
    if (first === 'rd' && second !== undefined) parseUpdate(query);
    if (first === 'rd') parseLinks(payload.toString('utf8'));
    if (first === 'dp') decodeSend(format ?? 0, removeRoot(format ?? 0, payload, '/3303'), models);
  };
  if (!orRefused(read)) return { code: Code.BadRequest };
  if (isRegistration && method === Code.POST) return { code: Code.Created, locationPath: ['rd', '5a3f'] };
  return { code: first === 'dp' || first === 'rd' || first === 'upload' ? Code.Changed : Code.NotFound };
};

export const readValue = ({
  payload,
  contentFormat: format,
}: {
  payload: Buffer;
  contentFormat?: number | undefined;
}) => {
  orRefused(() => decodeValues(format ?? contentFormat.text, payload, '/3303/0/5700', models));
  orRefused(() => decodeValues(format ?? contentFormat.text, payload, '/3303', models));
};
