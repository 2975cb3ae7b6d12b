import '@mantine/core/styles.css';
import './style.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/query-client.ts';
import { Session } from './frame/session.tsx';
import { Theme } from './frame/theme.tsx';
import { router } from './router.ts';

createRoot(document.querySelector('#root') as Element).render(
  <StrictMode>
    <Theme>
      <QueryClientProvider client={queryClient}>
        <Session>
          <RouterProvider router={router} />
        </Session>
      </QueryClientProvider>
    </Theme>
  </StrictMode>,
);
