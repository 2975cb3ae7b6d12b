/**
 * Words that plain technical English avoids, each with a replacement. Comments, texts and names are all searched.
 */
const words: readonly (readonly [word: RegExp, instead: string])[] = [
  [/\bnobod(?:y|ies)\b/gi, 'a passive sentence, or "no client", "no process"'],
  [/\b(?:some|every|any)body\b/gi, 'the noun: "another client", "every replica"'],
  [/\bwho(?:m|so)?ever\b/gi, 'the noun: "the caller", "the next replica"'],
  [/\banew\b/gi, '"again", or "re-…"'],
  [/\bmend(?:s|ed|ing)?\b/gi, '"fix" or "correct"'],
  [/\bdeeds?\b/gi, '"action" or "audit entry"'],
  [/\bturnstiles?\b/gi, '"admission control"'],
  [/\bshel(?:f|ves)\b/gi, '"multimap"'],
  [/\bof before\b/gi, '"previous"'],
  [/\b(?:go|goes|going|went|gone) on\b/gi, '"continue" or "resume"'],
  [/\bin vain\b/gi, 'what happens instead'],
  [/\bnudg(?:e|es|ed|ing)\b/gi, '"wake-up"'],
  [/\bexpulsions?\b/gi, '"disconnect on suspension"'],
  [/\bbarrages?\b/gi, '"API fuzz"'],
  [/\bin spite of\b/gi, '"despite"'],
  [/\b(?:takes?|took|taken) back\b/gi, '"cancel" or "revert"'],
  [/\blikewise\b/gi, '"the same"'],
  [/\baloud\b/gi, '"in the log"'],
];

/** The words of `text` that are to be replaced. */
export const oddWords = (text: string): { line: number; word: string; instead: string }[] =>
  text
    .split('\n')
    .flatMap((content, at) =>
      words.flatMap(([word, instead]) =>
        [...content.matchAll(word)].map(([found]) => ({ line: at + 1, word: found, instead })),
      ),
    );
