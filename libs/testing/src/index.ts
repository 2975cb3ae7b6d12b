export * from './engines.js';
export * from './eventually.js';
