/** CI: the generated documents are what the contracts say. */
process.argv.push('--check');
await import('./generate-docs.mjs');
