import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compressed } from './build/compressed.ts';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/console/',
  plugins: [react(), compressed()],
  // The client from its sources, without building it first.
  resolve: { conditions: ['@lanyard/source', 'module', 'browser', 'production'] },
  // The gateway puts the nonce of each response here.
  html: { cspNonce: '{{csp-nonce}}' },
  build: {
    target: 'es2023',
    manifest: true,
    modulePreload: { polyfill: false },
    // The Content-Security-Policy allows no data URLs.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1_000,
    reportCompressedSize: false,
    // Where a build spends its seconds is of no use to those who start the system.
    rolldownOptions: { checks: { bundlerTimings: false } },
  },
});
