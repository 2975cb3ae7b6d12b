/**
 * Everything comes from this server; nothing inline runs. Mantine writes `<style>` elements, which carry the nonce of the
 * page. `style` properties that scripts set are no inline styles (CSP 3 §6.7.3).
 */
const contentPolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** What the page of the console may do in a browser, and who may see its window. */
export const pageHeaders = (nonce: string): Record<string, string> => ({
  'cache-control': 'no-cache',
  'content-security-policy': contentPolicy(nonce),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
});
