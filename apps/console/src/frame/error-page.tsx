import type { ErrorComponentProps } from '@tanstack/react-router';
import { Failure, Page } from '../ui/index.ts';

/** For a page that could not be loaded or shown; after an upgrade of the gateway, reloading loads the new one. */
export const ErrorPage = ({ error }: ErrorComponentProps) => (
  <Page title="This page has failed">
    <Failure error={error} onRetry={() => window.location.reload()} />
  </Page>
);
