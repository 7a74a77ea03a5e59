import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { VerbTranslator } from '#http/wire/verbs/translator.ts';

/** Requests and the bytes that the parser must receive for them. */
const length = (body: string) => `Host: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const chunk = (text: string) => `${text.length.toString(16).toUpperCase()}\r\n${text}\r\n`;
const texts = ['LIST / HTTP/1.1\r\n\r\n', '\r\n\r\nHELP / HTTP/1.1', 'LI', 'x'.repeat(300), '0\r\n\r\nSCAN /'];

const verb = fc.constantFrom<readonly [string, string]>(
  ['LIST', 'LINK'],
  ['SCAN', 'BIND'],
  ['HELP', 'COPY'],
  ['LINK', 'LOCK'],
  ['GET', 'GET'],
  ['POST', 'POST'],
  ['LISTS', 'LISTS'],
  ['HEAD', 'HEAD'],
);
const rest = fc.oneof(
  fc.constant('Host: LIST / HTTP/1.1\r\nX: y\r\n\r\n'),
  fc.constantFrom(...texts).map(length),
  fc
    .array(fc.constantFrom(...texts))
    .map((pieces) => `Transfer-Encoding: chunked\r\n\r\n${pieces.map(chunk).join('')}0\r\nLIST: t\r\n\r\n`),
);
const request = fc.tuple(verb, rest, fc.constantFrom('', '\r\n', '\r\n\r\n')).map(([[sent, shown], tail, gap]) => {
  const line = ` /v1/LIST HTTP/1.1\r\n${tail}`;
  return { sent: gap + sent + line, shown: gap + shown + line };
});

function translate(bytes: string, sizes: readonly number[]): string {
  const translator = new VerbTranslator();
  let out = '';
  let at = 0;
  for (let turn = 0; at < bytes.length; turn += 1) {
    const end = at + (sizes[turn % sizes.length] ?? 1);
    out += translator.translate(Buffer.from(bytes.slice(at, end), 'latin1')).toString('latin1');
    at = end;
  }
  return out + translator.flush().toString('latin1');
}

describe('translating a connection', () => {
  test('changes only verbs, whatever the requests and the split', () => {
    fc.assert(
      fc.property(
        fc.array(request, { minLength: 1, maxLength: 6 }),
        fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 8 }),
        (requests, sizes) => {
          const shown = requests.map((one) => one.shown).join('');
          expect(translate(requests.map((one) => one.sent).join(''), sizes)).toBe(shown);
        },
      ),
      { numRuns: 300, seed: 1 },
    );
  });

  test('loses and adds no byte and changes only verbs, whatever the bytes', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary-ascii', maxLength: 300 }),
        fc.integer({ min: 1, max: 9 }),
        (bytes, size) => {
          const out = translate(bytes, [size]);
          expect(out.length).toBe(bytes.length);
          if (!/LIST|SCAN|HELP|LINK|BIND|COPY/.test(bytes)) expect(out).toBe(bytes);
        },
      ),
      { numRuns: 300, seed: 1 },
    );
  });

  test('passes on the bytes of a connection that ends inside a verb', () => {
    expect(translate('LIS', [1])).toBe('LIS');
  });

  test.each([
    ['two lengths', 'Content-Length: 1\r\nContent-Length: 1\r\n'],
    ['a length and chunks', 'Content-Length: 1\r\nTransfer-Encoding: chunked\r\n'],
    ['an unknown coding', 'Transfer-Encoding: gzip, chunked\r\n'],
    ['a folded header', 'X: a\r\n b\r\n'],
    ['a bare line end', 'X: a\nContent-Length: 1\r\n'],
    ['an invalid length', 'Content-Length: 0x1\r\n'],
  ])('changes nothing after %s', (_name, headers) => {
    const bytes = `POST / HTTP/1.1\r\n${headers}\r\nLIST / HTTP/1.1\r\n\r\n`;
    expect(translate(bytes, [1000])).toBe(bytes);
  });

  test('changes nothing after a head or a line without an end', () => {
    const head = `GET / HTTP/1.1\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`;
    const line = `POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(20_000)}\r\na\r\n0\r\n\r\n`;
    for (const bytes of [head, line]) {
      const whole = `${bytes}LIST / HTTP/1.1\r\n\r\n`;
      expect(translate(whole, [1000])).toBe(whole);
    }
  });
});
