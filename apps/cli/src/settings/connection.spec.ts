import { expect, it } from '@jest/globals';
import { isLoopback } from './connection.js';

it.each([
  ['http://localhost:8080', true],
  ['http://127.0.0.1:8080/lanyard', true],
  ['http://[::1]:8080', true],
  ['http://localhost.example.com', false],
  ['http://127.0.0.1.example.com', false],
  ['http://192.0.2.1:8080', false],
])('what is sent to %s stays on this machine: %s', (url, expected) => expect(isLoopback(url)).toBe(expected));
