import { describe, expect, test } from 'vitest';
import { membersOf } from '#destinations/frame/redaction/members.ts';
import { redact, redacted, remoteWords } from '#destinations/frame/redaction/redact.ts';
import { leastProcessorMs } from '#test/support/measures/processor-time.ts';

const secret = `correct "horse" <battery> staple/é+'&=\nsecond line`;
const json = (text: string) => JSON.stringify(text).slice(1, -1);
const inBase64 = (text: string, offset: number) => Buffer.from(`${'x'.repeat(offset)}${text}`).toString('base64');

const quotes: Readonly<Record<string, string>> = {
  'as it is': secret,
  'in JSON': json(secret),
  'in JSON in JSON': json(json(secret)),
  'in JSON of ASCII': json(secret).replace('é', '\\u00e9'),
  'in JSON in JSON in JSON': json(json(json(secret))),
  'in a URL': encodeURIComponent(secret),
  'in a URL with small digits': encodeURIComponent(secret).replace(/%../g, (digits) => digits.toLowerCase()),
  'in a form': new URLSearchParams({ value: secret }).toString().slice('value='.length),
  'in XML': secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
  'in base64': inBase64(secret, 0),
  'in base64, one byte later': inBase64(secret, 1),
  'in base64, two bytes later': inBase64(secret, 2),
  'in URL-safe base64 without padding': Buffer.from(secret).toString('base64url'),
  'in base64 of JSON': inBase64(json(secret), 1),
  'in hexadecimal digits': Buffer.from(secret).toString('hex').toUpperCase(),
  'in one line': secret.replace(/\s+/g, ' '),
};

/** After redaction, at most brackets and a few characters at the border are left of a quote, in any form. */
describe('a quote of a secret', () => {
  test.each(Object.entries(quotes))('is removed %s, and the words around it are kept', (_how, quoted) => {
    const shown = redact(`the value ${quoted} is not allowed here`, [secret]);
    expect(shown.startsWith('the value ')).toBe(true);
    expect(shown.endsWith(' is not allowed here')).toBe(true);
    expect(shown).toContain(redacted);
    const left = shown.replaceAll(redacted, '').slice('the value '.length, -' is not allowed here'.length);
    expect(left.length, left).toBeLessThan(remoteWords.partLengthMin);
  });

  test.each(Object.entries(quotes))('is removed %s even if the remote has cut it', (_how, quoted) => {
    for (const part of [quoted.slice(0, 15), quoted.slice(-15), quoted.slice(5, 20)]) {
      const shown = redact(`near ${part}...`, [secret]);
      expect(shown).toContain(redacted);
    }
  });

  test('is removed before the text is cut, so that no part of it is shown at the cut', () => {
    for (let length = 4_070; length < 4_100; length += 1) {
      const shown = redact(`${'a b '.repeat(2_000).slice(0, length)}${secret}`, [secret]);
      expect(shown.replaceAll(redacted, '')).not.toMatch(/[^ab ]/);
    }
  });

  test('is removed as a whole if it is short, and ignored if it is too short', () => {
    expect(redact('value "hunt" is weak', ['hunt'])).toBe(`value "${redacted}" is weak`);
    expect(redact('it is weak', ['is'.padEnd(remoteWords.wholeLengthMin - 1, 't')])).toBe('it is weak');
  });

  test('is kept within a name, which may be shown', () => {
    const shown = redact('secret app/production was refused: production', ['production'], {
      names: ['app/production'],
    });
    expect(shown).toBe(`secret app/production was refused: ${redacted}`);
  });

  test('is not found in a text without it', () => {
    const text = 'The parameter SecretString is not valid for this request';
    expect(redact(text, [secret, 'another-credential-0123456789'])).toBe(text);
  });
});

test.each([
  ['Authorization: Bearer abcdefghijklmnop.qrstuv', `Authorization: Bearer ${redacted}`],
  ['got eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.c2lnbmF0dXJl', `got ${redacted}`],
  [`Signature=${'0a'.repeat(32)} is wrong`, `Signature=${redacted} is wrong`],
  ['use a bearer token instead', 'use a bearer token instead'],
])('texts that look like credentials are removed: %s', (text, shown) => {
  expect(redact(text, [])).toBe(shown);
});

describe('the members of a value', () => {
  test('are its texts and numbers, including those of nested JSON texts, without the names', () => {
    const inner = JSON.stringify({ private_key: 'the key', type: 'service_account' });
    const value = JSON.stringify({ user: 'the user', list: [{ pin: 12345 }], file: inner, on: true, none: null });
    expect(membersOf(value).toSorted()).toEqual(['12345', inner, 'service_account', 'the key', 'the user'].toSorted());
    expect(membersOf(value, new Set(['type', 'list']))).not.toContain('service_account');
    expect(membersOf('[1e400]')).toEqual(['1e400']);
  });

  test('are the value itself if it is not a JSON object or list', () => {
    expect(membersOf('plain')).toEqual(['plain']);
    expect(membersOf('{"cut": "of')).toEqual(['{"cut": "of']);
    expect(membersOf('"text"')).toEqual(['"text"']);
  });
});

test('the work is linear in the length of the secret, even if all of it is found', () => {
  const costMs = (length: number) => {
    const value = 'ab"\n'.repeat(length / 4);
    return leastProcessorMs(() => redact(value, [value]));
  };
  costMs(8_192);
  expect(costMs(65_536)).toBeLessThan(costMs(8_192) * 32);
});
