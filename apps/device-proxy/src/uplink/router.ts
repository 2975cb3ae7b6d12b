import type { UplinkReply, UplinkRequest } from '../transport/uplink-request.js';
import type { Deregister } from './deregister.js';
import type { Register } from './register.js';
import type { Send } from './send.js';
import type { Update } from './update.js';

export interface Uplink {
  register: Register;
  update: Update;
  deregister: Deregister;
  send: Send;
}

/** Requests of devices by method and path (LwM2M 1.1 core §6.2, §6.4). */
export const route = (uplink: Uplink, request: UplinkRequest): Promise<UplinkReply> | UplinkReply => {
  const { method, path } = request;
  const [first, second, ...rest] = path;
  if (rest.length > 0) return { code: '4.04' };
  if (first === 'rd' && second === undefined)
    return method === 'POST' ? uplink.register.answer(request) : { code: '4.05' };
  if (first === 'rd' && second !== undefined) {
    if (method === 'POST') return uplink.update.answer(request, second);
    return method === 'DELETE' ? uplink.deregister.answer(request, second) : { code: '4.05' };
  }
  if (first === 'dp' && second === undefined) return method === 'POST' ? uplink.send.answer(request) : { code: '4.05' };
  return { code: '4.04' };
};
