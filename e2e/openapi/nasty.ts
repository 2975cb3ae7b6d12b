/** Texts that have broken some software: encodings, queries, formats, lengths. */
export const nastyTexts = [
  ...['', ' ', '\u0000', 'a\u0000b', '\ud800', '😀🏳️‍🌈', '\u202eabc', 'e\u0301', '\n', '\\', '"', '*', 'a,b,,c'],
  ...["'; DROP TABLE devices; --", '%00', '%', '../../etc/passwd', '${7*7}', '<script>', '__proto__', 'constructor'],
  ...['null', 'true', '-1', '1e999', '0x10', 'NaN', 'x'.repeat(5_000)],
];

export const nastyNumbers = [
  0,
  1,
  -1,
  2,
  50,
  1_000,
  65_535,
  65_536,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 53,
  0.1,
  1e21,
  -1e308,
];

/** Values of any type. */
export const anything: unknown[] = [null, true, false, 0, -1, 1.5, '', 'x', [], {}, [null], { a: { b: [] } }, [[]]];

/** Path segments in place of an id. */
export const oddIds = [
  ...['me', '0'.repeat(32), 'F'.repeat(32), '..%2F..', '%00', '%20', '%zz', '%F0%9F%98%80', 'a'.repeat(300), '65536'],
  '-1',
];

export const contentTypes = [
  ...['application/json', 'application/json; charset=utf-16', 'text/plain', 'application/x-www-form-urlencoded'],
  ...['multipart/form-data; boundary=x', 'application/vnd.oma.lwm2m+tlv', 'application/octet-stream', 'nonsense'],
];

export const oddTables = ['name,custom_attributes__x\n"a,b",\u0000', 'nonsense\n1', '', 'endpoint_name', '"'];

/** Texts that are not JSON, or that a JSON parser may choke on, derived from valid JSON. */
export const oddJson: ((text: string) => string)[] = [
  (text) => text.slice(0, -1),
  (text) => text.replace(/:[^,}]*/, ':1e999'),
  () => '['.repeat(50_000),
  (text) => `{"a":${text},"a":${text}}`,
  (text) => `\ufeff${text}`,
  () => 'undefined',
  () => '"\\ud800"',
  (text) => `{"__proto__":${text}}`,
];

/** Texts of the kinds that this API expects. */
export const plausibleTexts = [
  ...['a', 'thermo-1', '0'.repeat(32), 'A'.repeat(64), 'deadbeef'.repeat(4), '/3/0/0', '/3303/0/*', 'unknown=1'],
  ...['3303/0/5700?pmin=1&pmax=10', '2024-01-01', '2024-02-30', '2024-01-01T10:00:00.123456Z', '20240101T000000Z'],
  ...['9999-12-31T23:59:59Z', '0000-01-01', '2024-01-01T00:00:00+25:00', 'state=registered', 'text/plain', 'aGVsbG8='],
  ...['created_at__gte=2024-01-01T00:00:00Z&name__in=a,b', 'custom_attributes__site=north', 'application/senml+json'],
  ...['http://127.0.0.1:1/hook', 'total_count', 'ASC', 'v2'],
];

/** Values that suit fields with these names. */
export const commonHints: Record<string, readonly string[]> = {
  uri: ['/3/0/0', '/3303/0/5700', '/3341/0/5527', '/3/0/4', '/3303/0/5700?pmin=1&pmax=10', '/'],
  accept: ['text/plain', 'application/senml+json', 'application/vnd.oma.lwm2m+tlv'],
  'content-type': ['text/plain', 'application/octet-stream', 'application/senml+json'],
  'payload-b64': ['aGVsbG8=', 'MjE=', ''],
  query: ['state=registered', 'name__neq=a&custom_attributes__site=north'],
  filter: ['state=registered', 'created_at__gte=2024-01-01T00:00:00Z', 'custom_attributes__site=north'],
  expiration: ['2099-01-01T00:00:00Z'],
  when: ['2099-01-01T00:00:00Z'],
  ends_at: ['2099-02-01T00:00:00Z'],
  from: ['22:00'],
  to: ['04:00'],
  type: ['v2'],
  server_uri: ['coaps://lwm2m.example.com:5684', 'coap+tcp://192.0.2.7'],
  delete_paths: ['/', '/0', '/1', '/5/0'],
  binding: ['U', 'T', 'UQ'],
};

/** An object definition. */
export const model = `<LWM2M><Object ObjectType="MODefinition"><Name>Generated</Name><ObjectID>33000</ObjectID>
  <MultipleInstances>Single</MultipleInstances><Mandatory>Optional</Mandatory><Resources><Item ID="1"><Name>Level</Name>
  <Operations>RW</Operations><MultipleInstances>Single</MultipleInstances><Mandatory>Optional</Mandatory>
  <Type>Integer</Type></Item></Resources></Object></LWM2M>`;
