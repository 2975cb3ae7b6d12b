import { hex } from './seeded.js';

/** The Device object of the specification's examples (LwM2M TS §6.4.3.1), as TLV of instance /3/0. */
export const deviceTlv = hex(`
  C8 00 14 4F 70 65 6E 20 4D 6F 62 69 6C 65 20 41 6C 6C 69 61 6E 63 65
  C8 01 16 4C 69 67 68 74 77 65 69 67 68 74 20 4D 32 4D 20 43 6C 69 65 6E 74
  C8 02 09 33 34 35 30 30 30 31 32 33
  C3 03 31 2E 30
  86 06 41 00 01 41 01 05
  88 07 08 42 00 0E D8 42 01 13 88
  87 08 41 00 7D 42 01 03 84
  C1 09 64
  C1 0A 0F
  83 0B 41 00 00
  C4 0D 51 82 42 8F
  C6 0E 2B 30 32 3A 30 30
  C1 10 55`);

/** The same as SenML JSON (LwM2M 1.1 core §7.4.4). */
export const deviceSenml = `[
  {"bn":"/3/0/","n":"0","vs":"Open Mobile Alliance"},
  {"n":"1","vs":"Lightweight M2M Client"},
  {"n":"2","vs":"345000123"},
  {"n":"3","vs":"1.0"},
  {"n":"6/0","v":1},
  {"n":"6/1","v":5},
  {"n":"7/0","v":3800},
  {"n":"7/1","v":5000},
  {"n":"8/0","v":125},
  {"n":"8/1","v":900},
  {"n":"9","v":100},
  {"n":"10","v":15},
  {"n":"11/0","v":0},
  {"n":"13","v":1367491215},
  {"n":"14","vs":"+02:00"},
  {"n":"16","vs":"U"}]`;

/** The same as SenML CBOR (LwM2M 1.1 core §7.4.5). */
export const deviceCbor = hex(`
  90
  a3 21 65 2f332f302f 00 61 30 03 74 4f70656e204d6f62696c6520416c6c69616e6365
  a2 00 61 31 03 76 4c69676874776569676874204d324d20436c69656e74
  a2 00 61 32 03 69 333435303030313233
  a2 00 61 33 03 63 312e30
  a2 00 63 362f30 02 01
  a2 00 63 362f31 02 05
  a2 00 63 372f30 02 19 0ed8
  a2 00 63 372f31 02 19 1388
  a2 00 63 382f30 02 18 7d
  a2 00 63 382f31 02 19 0384
  a2 00 61 39 02 18 64
  a2 00 62 3130 02 0f
  a2 00 64 31312f30 02 00
  a2 00 62 3133 02 1a 5182428f
  a2 00 62 3134 03 66 2b30323a3030
  a2 00 62 3136 03 61 55`);

/** The same as the JSON of LwM2M 1.0 (LwM2M TS §6.4.4). */
export const deviceJson = `{"bn":"/3/0/","e":[
  {"n":"0","sv":"Open Mobile Alliance"},
  {"n":"1","sv":"Lightweight M2M Client"},
  {"n":"2","sv":"345000123"},
  {"n":"3","sv":"1.0"},
  {"n":"6/0","v":1},
  {"n":"6/1","v":5},
  {"n":"7/0","v":3800},
  {"n":"7/1","v":5000},
  {"n":"8/0","v":125},
  {"n":"8/1","v":900},
  {"n":"9","v":100},
  {"n":"10","v":15},
  {"n":"11/0","v":0},
  {"n":"13","v":1367491215},
  {"n":"14","sv":"+02:00"},
  {"n":"16","sv":"U"}]}`;

/** Path, type and value of what all of them say. */
export const deviceValues = [
  ['/3/0/0', 'string', 'Open Mobile Alliance'],
  ['/3/0/1', 'string', 'Lightweight M2M Client'],
  ['/3/0/2', 'string', '345000123'],
  ['/3/0/3', 'string', '1.0'],
  ['/3/0/6/0', 'integer', 1],
  ['/3/0/6/1', 'integer', 5],
  ['/3/0/7/0', 'integer', 3800],
  ['/3/0/7/1', 'integer', 5000],
  ['/3/0/8/0', 'integer', 125],
  ['/3/0/8/1', 'integer', 900],
  ['/3/0/9', 'integer', 100],
  ['/3/0/10', 'integer', 15],
  ['/3/0/11/0', 'integer', 0],
  ['/3/0/13', 'time', 1_367_491_215],
  ['/3/0/14', 'string', '+02:00'],
  ['/3/0/16', 'string', 'U'],
].map(([path, type, value]) => ({ path, type, value }));
