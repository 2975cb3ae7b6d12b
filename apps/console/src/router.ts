import { createRouter, parseSearchWith, stringifySearchWith } from '@tanstack/react-router';
import { ErrorPage } from './frame/error-page.tsx';
import { routeTree } from './routes.ts';

export const router = createRouter({
  routeTree,
  basepath: '/console',
  defaultPreload: 'intent',
  defaultErrorComponent: ErrorPage,
  scrollRestoration: true,
  // Otherwise another search or order would be shown from where the one before it had been scrolled to.
  scrollToTopSelectors: ['.device-list'],
  // All parameters are text. If they were read as JSON, the default, a serial number of 20 digits would change.
  parseSearch: parseSearchWith((text) => text),
  stringifySearch: stringifySearchWith(String),
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
