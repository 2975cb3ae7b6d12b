import { setTimeout as sleep } from 'node:timers/promises';
import { type DeviceFlow, isTemporary, type Lanyard, type ProgramSession, RequestFailed } from '@lanyard/client';
import { CliError, exitCodes } from '../errors.js';
import type { Output } from '../output/output.js';
import { onOneLine } from '../output/safe-text.js';

/** Added to the interval when the service asks to slow down, and when no answer comes (RFC 8628 §3.5). */
const slowDownSeconds = 5;

const show = (out: Output, flow: DeviceFlow): void => {
  const { user_code: code, verification_uri: address, verification_uri_complete: complete } = flow;
  out.complain(`Open ${onOneLine(address)} in a browser and enter ${onOneLine(code)}.`);
  if (complete !== undefined) out.complain(`Or open ${onOneLine(complete)}`);
};

/** The error to throw: a CliError if the person may not sign in or has taken too long. */
const signInError = (error: unknown): unknown => {
  const code = error instanceof RequestFailed ? error.code : '';
  if (code === 'access_denied') return new CliError('The provider rejected the sign-in.', exitCodes.notPermitted);
  return code === 'expired_token'
    ? new CliError('The sign-in was not completed in time.', exitCodes.timeout, 'Run "lanyard login --oidc" again.')
    : error;
};

/**
 * Signs a person in at the OpenID provider of the service, by the device flow: the browser may be on another machine.
 * Throws CliError if the person may not sign in or takes too long.
 */
export const signInWithDevice = async (lanyard: Lanyard, out: Output, signal: AbortSignal): Promise<ProgramSession> => {
  const flow = await lanyard.call('POST /v3/session/oidc/device', {}, { signal });
  show(out, flow);
  const endMs = performance.now() + flow.expires_in * 1_000;
  for (let seconds = flow.interval; ;) {
    await sleep(seconds * 1_000, undefined, { signal });
    try {
      const body = { device_code: flow.device_code };
      return await lanyard.call('POST /v3/session/oidc/device/token', { body }, { signal });
    } catch (error) {
      const code = error instanceof RequestFailed ? error.code : '';
      const isPassing = isTemporary(error) && performance.now() < endMs;
      if (code === 'slow_down' || isPassing) seconds += slowDownSeconds;
      else if (code !== 'authorization_pending') throw signInError(error);
    }
  }
};
