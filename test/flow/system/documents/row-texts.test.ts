import { describe, expect, test } from 'vitest';
import { realTable } from '#infra/generate/rows.ts';

/** The verbs with which summaries begin. A verb that is not in the list may be added to it, in its base form. */
const verbs = new Set(
  `Activate Add Apply Associate Begin Cancel Change Check Complete Configure Count Create Decode Delete Destroy Disable Discard Enable Find Generate Get Hash Lend
   List Lock Log Look Merge Mount Move Plan Provide Read Receive Record Refuse Reload Remove Renew Replace Replay Reset Revoke Seal Send Set Show Start
   Step Stop Take Tidy Undelete Unlock Unmount Update Validate Wrap Write`.split(/\s+/),
);

/** The same verbs, and those of help texts alone, in the third person. */
const thirdPerson = new Set([
  ...[...verbs].map((verb) => (verb.endsWith('y') && !/[aeo]y$/.test(verb) ? `${verb.slice(0, -1)}ies` : withS(verb))),
  ...'Configures Does Ends Has Limits Logs Makes Manages Marks Puts Requires Returns Sets Stores Switches Ties'.split(
    ' ',
  ),
]);

function withS(verb: string): string {
  return /(?:s|sh|ch|x)$/.test(verb) ? `${verb}es` : `${verb}s`;
}

const rows = Object.entries(realTable).flatMap(([mount, all]) =>
  all.map((row) => [`${mount}/${row.pattern}`, row] as const),
);
const wordsOf = (text: string) => text.split(/[\s,:;.]+/);

/** `a` before a vowel that is spoken as one. */
const wrongArticle = /\ba (?=[aeio])(?!one)|\ban (?=[^aeiouAEFHILMNORSX"])/;

describe.each(rows)('%s', (_path, { help, operations }) => {
  test('its summaries are imperatives: a verb in base form first, and no period last', () => {
    for (const { summary } of Object.values(operations)) {
      expect([...verbs], summary).toContain(wordsOf(summary)[0]);
      expect(summary).not.toMatch(/[.:;]$/);
      expect(summary).not.toMatch(wrongArticle);
    }
  });

  test('its help says in sentences what the path does: a verb in the third person first, and a period last', () => {
    expect([...thirdPerson], help).toContain(wordsOf(help)[0]);
    expect(help).toMatch(/\.$/);
    expect(help).not.toMatch(wrongArticle);
  });
});

test('a summary in another grammar is noticed', () => {
  for (const word of ['Lists', 'Listing', 'Created', 'The', 'read']) expect(verbs.has(word), word).toBe(false);
  for (const word of ['List', 'A', 'Tidys', 'The']) expect(thirdPerson.has(word), word).toBe(false);
  expect('Mount a auth method').toMatch(wrongArticle);
  expect('Mount an auth method of a user').not.toMatch(wrongArticle);
});
