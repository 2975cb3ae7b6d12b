/** Numbers that look random and are the same for the same seed: a run that failed is run again. */
export class Random {
  /** @param {number} seed */
  constructor(seed) {
    this.state = seed >>> 0;
  }

  /** From 0 to below 1 (mulberry32). */
  next() {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from `least` to `most`, both included. @param {number} least @param {number} most */
  int(least, most) {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  /** @param {number} probability */
  chance(probability) {
    return this.next() < probability;
  }

  /** @template T @param {readonly T[]} list @returns {T} */
  pick(list) {
    return /** @type {T} */ (list[this.int(0, list.length - 1)]);
  }

  /** Another sequence, which does not depend on how much was drawn from this one. @param {string} name */
  fork(name) {
    let hash = this.state;
    for (const letter of name) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
    return new Random(hash);
  }
}
