import { execFile } from 'node:child_process';
import type { PreSharedKey } from '../compiled-device.ts';

/** Seconds that the program waits for an answer. */
const patienceSeconds = 90;

export interface CoapAnswer {
  /** For example `2.01`; undefined if no answer came. */
  code: string | undefined;
  location: string;
  text: string;
}

export interface CoapRequest {
  method: 'get' | 'post' | 'put' | 'delete';
  url: string;
  payload?: string;
  contentFormat?: number;
  /** The local port; by default, any. */
  from?: number;
  /** Version 4.3.1 takes keys as text only, so the key must be text. */
  psk?: PreSharedKey;
  /** PEM files. */
  certificate?: { certificate: string; privateKey: string };
  /** A PEM file with private and public key. */
  rawPublicKey?: string;
  /** A file for the payload of the answer. */
  output?: string;
  /** The first block that it asks for, and the size of blocks: `3000,1024`. */
  blocks?: string;
}

/** The program logs a few hundred bytes about each block. */
const logBytesMax = 64 * 1_048_576;

const line = /c:(\d\.\d\d)[ ,].*?\[(.*?)\]/g;

/** One request of libcoap's command-line client, which runs as a new program with a new connection. */
export const coapClient = (program: string, request: CoapRequest): Promise<CoapAnswer> => {
  const { method, url, payload, contentFormat, from, psk, certificate, rawPublicKey, output, blocks } = request;
  const args = ['-v', '6', '-B', String(patienceSeconds), '-m', method];
  if (payload !== undefined) args.push('-e', encodeURIComponent(payload));
  if (contentFormat !== undefined) args.push('-t', String(contentFormat));
  if (from !== undefined) args.push('-p', String(from));
  if (psk) args.push('-u', psk.identity, '-k', Buffer.from(psk.key, 'hex').toString());
  if (certificate) args.push('-c', certificate.certificate, '-j', certificate.privateKey);
  if (rawPublicKey !== undefined) args.push('-M', rawPublicKey);
  if (output !== undefined) args.push('-o', output);
  if (blocks !== undefined) args.push('-b', blocks);
  return new Promise((resolve, reject) => {
    execFile(program, [...args, url], { maxBuffer: logBytesMax }, (error, stdout, stderr) => {
      const text = `${stdout}\n${stderr}`;
      const answers = [...text.matchAll(line)].filter(([, code]) => /^[245]/.test(code ?? ''));
      const [, code, options = ''] = answers.at(-1) ?? [];
      const location = [...options.matchAll(/Location-Path:([^, \]]+)/g)].map(([, segment]) => segment).join('/');
      if (error && code === undefined) reject(new Error(text));
      else resolve({ code, location, text });
    });
  });
};
