/** For CI: checks that the generated documents match the code. */
process.argv.push('--check');
await import('./generate-docs.ts');
