import { type AddressInfo, createServer, type Socket } from 'node:net';
import tls from 'node:tls';
import { generate } from 'selfsigned';
import type { SMTPServerOptions } from 'smtp-server';
import { expect, onTestFinished, test } from 'vitest';
import { parseSender, parseSmtpUrl } from '#core/settings/smtp.ts';
import { openMail } from '#network/mail.ts';
import { mailServer, refusal } from '../support/servers/mail-server.ts';
import { ending } from '../support/services.ts';

const from = { name: 'Keyferry, "the" service', address: 'keyferry@a.test' };
const message = { to: ['one@b.test', 'two@b.test'], subject: 'net: run:errored', text: 'a line\n.\nlast' };

function opened(url: string) {
  const server = parseSmtpUrl(url);
  if (server === undefined) throw new Error(`${url} is not the address of a mail server`);
  return openMail({ server, from });
}

test('a message goes to all recipients, who do not see each other', async () => {
  const { url, received } = await mailServer();
  expect(await opened(url).send(message)).toMatchObject({ code: '250', accepted: message.to, refused: [], reason: '' });
  expect(received).toMatchObject([{ to: message.to, from: from.address }]);
  const { raw = '' } = received[0] ?? {};
  expect(raw).toContain('Subject: net: run:errored\r\n');
  expect(raw).toContain('Auto-Submitted: auto-generated\r\n');
  expect(raw).toMatch(/a line\r\n\.\r\nlast/);
  expect(raw).not.toMatch(/@b\.test/);
});

test.each(['a\r\nBcc: evil@c.test', 'a\nX-Evil: 1', 'a\r\n\r\nbody'])(
  'a subject %j adds no header',
  async (subject) => {
    const { url, received } = await mailServer();
    await opened(url).send({ ...message, subject });
    expect(received[0]?.to).toEqual(message.to);
    const [headers = ''] = received[0]?.raw.split('\r\n\r\n') ?? [];
    expect(headers).not.toMatch(/^(bcc|x-evil|body)/im);
  },
);

test('permanent and temporary refusals of single recipients are distinguished', async () => {
  const codes: Readonly<Record<string, number>> = { 'gone@b.test': 550, 'full@b.test': 452 };
  const { url, received } = await mailServer({
    onRcptTo({ address }, _session, taken) {
      const code = codes[address];
      taken(code === undefined ? undefined : refusal(code, `marker-echo ${address}`));
    },
  });
  const to = ['one@b.test', 'gone@b.test', 'full@b.test'];
  const result = await opened(url).send({ ...message, to });
  expect(result).toEqual({ code: '250', accepted: ['one@b.test'], refused: ['gone@b.test'], reason: '' });
  expect(received).toMatchObject([{ to: ['one@b.test'] }]);
});

test('the error of a refusing server contains its code, never its text', async () => {
  const { url } = await mailServer({ onMailFrom: (_address, _session, taken) => taken(refusal(554, 'marker-echo')) });
  const result = await opened(url).send(message);
  expect(result).toMatchObject({ code: '554', accepted: [] });
  expect(JSON.stringify(result)).not.toContain('marker');
});

test('a server that closes the connection and a missing server count as no answer', async () => {
  const sockets = createServer((socket: Socket) => socket.end());
  await new Promise<void>((listening) => sockets.listen(0, '127.0.0.1', listening));
  const { port } = sockets.address() as AddressInfo;
  expect(await opened(`smtp://127.0.0.1:${port}`).send(message)).toMatchObject({ code: '', accepted: [] });
  await new Promise((closed) => sockets.close(closed));
  const result = await opened(`smtp://127.0.0.1:${port}`).send(message);
  expect(result.reason).toMatch(/^no answer: E/);
});

test('a hanging server is abandoned and its connection closed when the signal aborts', async () => {
  const ended = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const sockets = createServer((socket: Socket) => {
    socket.on('error', () => {}).on('close', () => ended.resolve());
    begun.resolve();
  });
  await new Promise<void>((listening) => sockets.listen(0, '127.0.0.1', listening));
  ending({ close: async () => void sockets.close() });
  const stop = new AbortController();
  const sending = opened(`smtp://127.0.0.1:${(sockets.address() as AddressInfo).port}`).send(message, stop.signal);
  await begun.promise;
  stop.abort();
  expect(await sending).toMatchObject({ code: '', accepted: [] });
  await ended.promise;
});

const login = (seen: string[]): SMTPServerOptions => ({
  disabledCommands: [],
  authOptional: false,
  onAuth({ username = '', password }, _session, taken) {
    seen.push(`${username} ${password}`);
    if (password === 'p@ss word') taken(null, { user: username });
    else taken(refusal(535, `marker ${password}`));
  },
});

test('a login is sent only over TLS that the system trusts', async () => {
  const { cert, private: key } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  const logins: string[] = [];
  const { port, received } = await mailServer({ cert, key, ...login(logins) });
  const url = `smtp://user:p%40ss%20word@127.0.0.1:${port}?tls=required`;
  const untrusted = await opened(url).send(message);
  expect([untrusted.code, untrusted.accepted, logins]).toEqual(['', [], []]);
  const before = tls.getCACertificates('default');
  onTestFinished(() => tls.setDefaultCACertificates(before));
  tls.setDefaultCACertificates([...before, cert]);
  expect(await opened(url).send(message)).toMatchObject({ code: '250', accepted: message.to });
  expect([logins, received.length]).toEqual([['user p@ss word'], 1]);
  const wrong = await opened(`smtp://user:marker-wrong@127.0.0.1:${port}?tls=required`).send(message);
  expect(wrong).toMatchObject({ code: '535', accepted: [] });
  expect(JSON.stringify(wrong)).not.toContain('marker');
});

test('when TLS is required, a server without TLS receives neither the login nor the message', async () => {
  const logins: string[] = [];
  const { port, received } = await mailServer({
    ...login(logins),
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
  });
  const result = await opened(`smtp://user:p%40ss%20word@127.0.0.1:${port}?tls=required`).send(message);
  expect([result.accepted, logins, received]).toEqual([[], [], []]);
  const plain = await opened(`smtp://user:p%40ss%20word@127.0.0.1:${port}`).send(message);
  expect([plain.accepted, logins]).toEqual([message.to, ['user p@ss word']]);
});

test('a login is not omitted when the server does not offer it', async () => {
  const { port, received } = await mailServer();
  const result = await opened(`smtp://user:secret@127.0.0.1:${port}`).send(message);
  expect([result.accepted, received]).toEqual([[], []]);
});

test.each([
  ['smtp://mail.test', { host: 'mail.test', port: 587, tls: 'starttls' }],
  ['smtps://mail.test', { host: 'mail.test', port: 465, tls: 'implicit' }],
  ['smtp://mail.test:2525?tls=none', { host: 'mail.test', port: 2525, tls: 'none' }],
  ['smtp://localhost', { host: 'localhost', port: 587, tls: 'none' }],
  ['smtp://[::1]:25/?tls=required', { host: '::1', port: 25, tls: 'starttls' }],
  ['smtp://127.0.0.9', { host: '127.0.0.9', port: 587, tls: 'none' }],
  ['smtp://127.0.0.1.evil.test', { host: '127.0.0.1.evil.test', port: 587, tls: 'starttls' }],
])('%s is %o', (url, server) => {
  expect(parseSmtpUrl(url)).toEqual({ ...server, login: undefined });
});

test.each([
  ...['', 'http://mail.test', 'smtp:', 'smtp://', 'smtp:mail.test', 'smtp://mail.test/inbox', 'smtp://mail.test#x'],
  ...['smtp://mail.test?tls=maybe', 'smtp://mail.test?tls=none&x=1', 'smtps://mail.test?tls=none'],
  ...['smtp://user@mail.test', 'smtp://:secret@mail.test', 'smtp://u:%00@mail.test', 'smtp://u:%zz@mail.test'],
  ...['smtp://mail.test:99999', 'smtp://mail.test:0', 'smtp://mail%0d%0a.test'],
])('%j is not the address of a mail server', (url) => {
  expect(parseSmtpUrl(url)).toBeUndefined();
});

test.each([
  ['a@b.test', { name: '', address: 'a@b.test' }],
  ['Key Ferry <a@b.test>', { name: 'Key Ferry', address: 'a@b.test' }],
  ['a', undefined],
  ['a@b.test, c@d.test', undefined],
  ['A\r\nBcc: x@y.test <a@b.test>', undefined],
  ['A <a@b.test> <c@d.test>', undefined],
  ['a@b.test\r\nRCPT TO:<x@y.test>', undefined],
  ['<a@-b.test>', undefined],
])('the sender %j is %o', (text, sender) => {
  expect(parseSender(text)).toEqual(sender);
});
