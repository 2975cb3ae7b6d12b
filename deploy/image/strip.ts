/** A copy of an ELF program without its symbol table, which is a seventh of Node's: the loader does not read it. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';

/** Offsets of fields in the header of a 64-bit file, and in a program header. */
const header = { programs: 32, sections: 40, programSize: 54, programCount: 56, sectionCount: 60, sectionNames: 62 };
const program = { offset: 8, size: 32 };

export const copyStripped = (from: string, to: string): void => {
  const file = readFileSync(from);
  const isElf64 = file.subarray(0, 4).toString('latin1') === '\x7fELF' && file[4] === 2 && file[5] === 1;
  if (!isElf64) throw new Error(`${from} is no 64-bit little-endian ELF file`);
  const first = Number(file.readBigUInt64LE(header.programs));
  const ends = Array.from({ length: file.readUInt16LE(header.programCount) }, (_, i) => {
    const at = first + i * file.readUInt16LE(header.programSize);
    return Number(file.readBigUInt64LE(at + program.offset) + file.readBigUInt64LE(at + program.size));
  });
  file.writeBigUInt64LE(0n, header.sections);
  file.writeUInt16LE(0, header.sectionCount);
  file.writeUInt16LE(0, header.sectionNames);
  writeFileSync(to, file.subarray(0, Math.max(...ends)));
  chmodSync(to, 0o755);
};
