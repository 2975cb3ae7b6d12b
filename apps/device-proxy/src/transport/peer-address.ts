/** `127.0.0.1:5683`, `[::1]:5683` */
export const addressOf = ({ address, port }: { address: string; port: number }): string =>
  address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;

export const parseAddress = (text: string): { host: string; port: number } => {
  const colon = text.lastIndexOf(':');
  return { host: text.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(text.slice(colon + 1)) };
};
