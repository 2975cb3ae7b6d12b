import { createRootRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { Frame } from './frame/frame.tsx';
import { NotFoundPage } from './frame/not-found-page.tsx';

const root = createRootRoute({ component: Frame, notFoundComponent: NotFoundPage });

/** The parameters after `?`: a page reads them with `useSearch`, and interprets them itself. */
type Search = Record<string, string | undefined>;

const validateSearch = (search: Record<string, unknown>): Search =>
  Object.fromEntries(Object.entries(search).map(([name, value]) => [name, value == null ? undefined : String(value)]));

type PageModule = () => Promise<{ default: React.ComponentType }>;

const page = <P extends string>(path: P, load: PageModule) =>
  createRoute({ getParentRoute: () => root, path, validateSearch, component: lazyRouteComponent(load) });

/** Every page: its path below `/console`, and the file that is loaded when it is opened. */
export const routeTree = root.addChildren([
  page('/', () => import('./fleet/fleet-page.tsx')),
  page('/devices', () => import('./devices/devices-page.tsx')),
  page('/devices/$id', () => import('./device/device-page.tsx')),
  page('/groups', () => import('./groups/groups-page.tsx')),
  page('/bootstrap', () => import('./bootstrap/bootstrap-page.tsx')),
  page('/certificates', () => import('./certificates/certificates-page.tsx')),
  page('/channels', () => import('./channels/channels-page.tsx')),
  page('/channels/$id', () => import('./channels/channel-page.tsx')),
  page('/campaigns', () => import('./campaigns/campaigns-page.tsx')),
  page('/campaigns/$id', () => import('./campaigns/campaign-page.tsx')),
  page('/keys', () => import('./keys/keys-page.tsx')),
  page('/account', () => import('./account/account-page.tsx')),
]);
