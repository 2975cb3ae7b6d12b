/** CI: the generated documents are what the code says. */
process.argv.push('--check');
await import('./generate-docs.ts');
