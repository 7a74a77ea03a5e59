import { expect, test } from 'vitest';
import { noAnswer } from '#destinations/frame/answer/no-answer.ts';
import { RequestTimeout } from '#destinations/frame/verb/request-time.ts';
import { BlockedConnection } from '#network/blocked.ts';
import { StrangeAnswer } from '#network/strange-answer.ts';

const coded = (code: string, name = 'Error') => Object.assign(new Error('marker'), { code, name });
const behind = (cause: unknown) => new TypeError('fetch failed with marker', { cause });
const refusals = [{ reason: 'port 22', field: 'allowed_ports' as const }];

test.each([
  [
    'a blocked connection',
    behind(new BlockedConnection({ host: 'a', port: 22 }, refusals)),
    'blocked',
    /allowed_ports/,
  ],
  ['an answer of another server', behind(new StrangeAnswer('it is a page')), 'unavailable', /it is a page/],
  ['a request out of time', behind(new RequestTimeout(250)), 'timeout', /^no answer within 250 ms$/],
  ['a fetch out of time', new DOMException('marker', 'TimeoutError'), 'timeout', /^the answer did not come in time$/],
  ['a connection out of time', behind(coded('UND_ERR_CONNECT_TIMEOUT')), 'timeout', /connecting took too long/],
  ['a body out of time', behind(coded('UND_ERR_BODY_TIMEOUT')), 'timeout', /^the answer did not come in time$/],
  [
    'a reset that is called a timeout',
    coded('ECONNRESET', 'TimeoutError'),
    'network',
    /ECONNRESET.*check endpoint, DNS/,
  ],
  ['a certificate of a private authority', behind(coded('SELF_SIGNED_CERT_IN_CHAIN')), 'network', /set tls_ca_cert/],
  ['a certificate for another name', coded('ERR_TLS_CERT_ALTNAME_INVALID'), 'network', /set tls_ca_cert/],
] as const)('%s is named, and nothing of its text is shown', (_what, error, kind, text) => {
  const failure = noAnswer(error);
  expect(failure?.kind).toBe(kind);
  expect(failure?.message).toMatch(text);
  expect(`${failure?.message} ${failure?.said?.reveal() ?? ''}`).not.toContain('marker');
  expect(failure?.cause).toBeUndefined();
});

test('other errors are left to the driver', () => {
  expect(noAnswer(new Error('a fault of ours'))).toBeUndefined();
  expect(noAnswer(coded('not a code of ours'))).toBeUndefined();
});
