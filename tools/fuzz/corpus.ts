/** Valid messages of devices, which mutations start from. */
import { Code, encodeMessage, type CoapOption } from '@lanyard/coap';
import type { Random } from '../testing/random.ts';

const option = (number: number, value: string | Buffer | number[]): CoapOption => ({
  number,
  value: typeof value === 'string' ? Buffer.from(value) : Buffer.from(value),
});
const path = (path: string) => path.split('/').map((segment) => option(11, segment));
const query = (...all: string[]) => all.map((one) => option(15, one));
const format = (number: number) => option(12, number < 256 ? [number] : [number >> 8, number & 255]);
const hex = (text: string) => Buffer.from(text, 'hex');

const links = '</>;rt="oma.lwm2m";ct="60 110 112 11542",</1/0>,</3/0>;ver=1.1,</3303/0/5700>;aobs="a1b2",</5>';
const senmlJson =
  '[{"bn":"/3303/0/","bt":1700000000,"n":"5700","v":21.5},{"n":"5701","vs":"Cel"},{"n":"1","vd":"AAEC"}]';
// Two records below /3303/0/: 5700 with 21.5 and 5701 with "Cel".
const senmlCbor = hex('82a321682f333330332f302f00643537303002fb4035800000000000a20064353730310363' + '43656c');
// The same values below the ids 3303 and 0.
const lwm2mCbor = hex('a182190ce700a2191644fb4035800000000000' + '1916456343656c');
// 5700 as a float of eight bytes, 5701 as text, and resource 6 with two instances.
const tlv = hex('e81644084035800000000000' + 'e3164543656c' + '860641000141' + '0105');
const lwm2mJson =
  '{"bn":"/3303/0/","bt":1700000000,"e":[{"n":"5700","v":21.5},{"n":"5701","sv":"Cel"},{"n":"5850","bv":true}]}';

const kinds: { type: 'CON' | 'NON' | 'ACK'; code: number; options: CoapOption[]; payload?: string | Buffer }[] = [
  {
    type: 'CON',
    code: Code.POST,
    options: [...path('rd'), format(40), ...query('ep=fuzz', 'lt=300', 'lwm2m=1.1', 'b=U', 'Q')],
    payload: links,
  },
  { type: 'CON', code: Code.POST, options: [...path('rd/5a3f'), ...query('lt=600')] },
  { type: 'CON', code: Code.DELETE, options: path('rd/5a3f') },
  { type: 'CON', code: Code.POST, options: [...path('dp'), format(110)], payload: senmlJson },
  { type: 'NON', code: Code.POST, options: [...path('dp'), format(112)], payload: senmlCbor },
  { type: 'CON', code: Code.POST, options: [...path('dp'), format(11_544)], payload: lwm2mCbor },
  { type: 'CON', code: Code.PUT, options: [...path('upload'), option(27, [0x08])], payload: Buffer.alloc(16, 1) },
  { type: 'CON', code: Code.PUT, options: [...path('upload'), option(27, [0x18])], payload: Buffer.alloc(16, 2) },
  { type: 'CON', code: Code.PUT, options: [...path('upload'), option(27, [0x20])], payload: Buffer.alloc(7, 3) },
  { type: 'CON', code: Code.GET, options: [...path('large'), option(23, [0x02])] },
  { type: 'CON', code: Code.GET, options: [...path('large'), option(23, [0x12])] },
  { type: 'CON', code: Code.GET, options: [option(6, [0]), ...path('large'), option(17, [0x2d, 0x16])] },
  {
    type: 'CON',
    code: Code.FETCH,
    options: [...path('large'), format(110)],
    payload: '[{"n":"/3/0"},{"n":"/3303/0/5700"}]',
  },
  { type: 'CON', code: Code.Content, options: [option(6, [5]), format(0)], payload: '21.5' },
  { type: 'NON', code: Code.Content, options: [option(6, [0, 6]), format(11542), option(14, [60])], payload: tlv },
  {
    type: 'CON',
    code: Code.Content,
    options: [option(4, hex('0102')), option(6, [7]), format(11543), option(23, [0x0a])],
    payload: lwm2mJson,
  },
  { type: 'ACK', code: Code.Content, options: [format(110)], payload: senmlJson },
  { type: 'ACK', code: Code.Content, options: [format(0), option(23, [0x09])], payload: Buffer.alloc(32, 4) },
  { type: 'ACK', code: Code.Content, options: [option(6, [1]), format(112)], payload: senmlCbor },
  { type: 'ACK', code: Code.Changed, options: [option(27, [0x00])] },
  { type: 'ACK', code: 0, options: [] },
  { type: 'CON', code: Code.NotFound, options: [] },
];

/** A datagram. `asked`: the last request in the other direction; half of the answers belong to it. */
export const validDatagram = (random: Random, asked: { messageId: number; token: Buffer } | undefined) => {
  const { type, code, options, payload = '' } = random.pick(kinds);
  const isAnswer = code === 0 || code >= 64;
  const own = { messageId: random.below(65_536), token: code === 0 ? Buffer.alloc(0) : random.bytes(random.below(9)) };
  const { messageId, token } = isAnswer && asked && random.below(2) === 0 ? asked : own;
  return encodeMessage({
    type,
    code,
    messageId,
    token: code === 0 ? Buffer.alloc(0) : token,
    options: options.toSorted((a, b) => a.number - b.number),
    payload: Buffer.from(payload as string),
  });
};

/** The same message in the frame of a stream (RFC 8323 §3.2); a datagram that is too short stays unchanged. */
export const frameOf = (datagram: Buffer) => {
  const tokenLength = (datagram[0] as number) & 15;
  const length = datagram.length - 4 - tokenLength;
  if (length < 0) return datagram;
  const rest = datagram.subarray(4);
  const code = datagram.subarray(1, 2);
  if (length < 13) return Buffer.concat([Buffer.from([(length << 4) | tokenLength]), code, rest]);
  if (length < 269) return Buffer.concat([Buffer.from([0xd0 | tokenLength, length - 13]), code, rest]);
  const more = length - 269;
  return Buffer.concat([Buffer.from([0xe0 | tokenLength, more >> 8, more & 255]), code, rest]);
};

/** CSM with Max-Message-Size and Block-Wise-Transfer; Ping; Pong; Release; Abort. */
export const signals = ['50e12304000020', '00e2', '00e3', '00e4', '40e5ff6f6f70'].map(hex);
export const csm = hex('50e12304000020') as Buffer;
