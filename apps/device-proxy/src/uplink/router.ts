import { Injectable } from '@nestjs/common';
import { Bootstraps } from '../bootstrap/bootstraps.js';
import { CredentialServices } from '../bootstrap/credential-services.js';
import { Downloads } from '../downloads/downloads.js';
import type { UplinkReply, UplinkRequest } from '../transport/uplink-request.js';
import { Register } from './register.js';
import { Send } from './send.js';
import { Update } from './update.js';

/** The answer to any other method is 4.05, whatever the path (RFC 7252 §5.8). */
const methods: ReadonlySet<string> = new Set(['GET', 'POST', 'DELETE']);

/** Requests of devices by method and path (LwM2M 1.2 core §6.1, §6.2, §6.4), and downloads of packages. */
@Injectable()
export class UplinkRouter {
  constructor(
    private readonly register: Register,
    private readonly update: Update,
    private readonly send: Send,
    private readonly bootstraps: Bootstraps,
    private readonly downloads: Downloads,
    private readonly services: CredentialServices,
  ) {}

  answer(request: UplinkRequest): Promise<UplinkReply> | UplinkReply {
    const { method, path } = request;
    const [first, second, ...rest] = path;
    if (!this.services.permit(request)) return { code: '4.03' };
    if (!methods.has(method)) return { code: '4.05' };
    if (rest.length > 0) return { code: '4.04' };
    if (first === 'rd' && second === undefined)
      return method === 'POST' ? this.register.answer(request) : { code: '4.05' };
    if (first === 'rd' && second !== undefined) {
      if (method === 'POST') return this.update.answer(request, second);
      return method === 'DELETE' ? this.update.deregister(request, second) : { code: '4.05' };
    }
    if (first === 'downloads' && second !== undefined)
      return method === 'GET' ? this.downloads.answer(request, second) : { code: '4.05' };
    if (second !== undefined) return { code: '4.04' };
    if (first === 'dp') return method === 'POST' ? this.send.answer(request) : { code: '4.05' };
    if (first === 'bs') return method === 'POST' ? this.bootstraps.answerRequest(request) : { code: '4.05' };
    if (first === 'bspack') return method === 'GET' ? this.bootstraps.answerPack(request) : { code: '4.05' };
    return { code: '4.04' };
  }
}
