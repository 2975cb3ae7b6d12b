import { createRouter } from '@tanstack/react-router';
import { ErrorPage } from './frame/error-page.tsx';
import { routeTree } from './routes.ts';

export const router = createRouter({
  routeTree,
  basepath: '/console',
  defaultPreload: 'intent',
  defaultErrorComponent: ErrorPage,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
