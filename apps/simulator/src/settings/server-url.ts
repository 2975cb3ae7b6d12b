import { type SettingsReader } from './reader.js';

const ports = { coap: 5683, coaps: 5684, 'coap+tcp': 5683, 'coaps+tcp': 5684 } as const;

export type Scheme = keyof typeof ports;

export interface ServerUrl {
  scheme: Scheme;
  host: string;
  port: number;
}

/** Whether servers of the scheme require a credential. */
export const isSecure = (scheme: Scheme): boolean => scheme.startsWith('coaps');

/** undefined for a text that is not such a URL. */
export const parseServerUrl = (text: string): ServerUrl | undefined => {
  const [, scheme, host, port] =
    /^(coap|coaps|coap\+tcp|coaps\+tcp):\/\/(\[[^\]]+\]|[^:/[\]]+)(?::(\d{1,5}))?\/?$/.exec(text) ?? [];
  if (!scheme || !host) return undefined;
  const known = scheme as Scheme;
  const number = Number(port ?? ports[known]);
  if (number < 1 || number > 65_535) return undefined;
  return { scheme: known, host: host.replace(/^\[|\]$/g, ''), port: number };
};

/** Comma-separated servers of one kind. */
export const readServers = (reader: SettingsReader): ServerUrl[] => {
  const texts = reader
    .text('server', 'coap://127.0.0.1:5683')
    .split(',')
    .map((text) => text.trim());
  const urls = texts.map((text) => {
    const url = parseServerUrl(text);
    if (!url) throw reader.problem('server', `must be coap://host:port, not "${text}"`);
    return url;
  });
  if (new Set(urls.map(({ scheme }) => scheme)).size !== 1)
    throw reader.problem('server', 'must name one or more servers of one kind');
  return urls;
};
