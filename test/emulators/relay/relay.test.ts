import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { afterEach, expect, test } from 'vitest';
import { newCertificate } from '#destinations/cloud-b-kv/fake/server.ts';
import { serve } from '#destinations/frame/fake/server.ts';
import { certificateAt } from '../lowkey-vault/certificate.ts';
import { forward, type Upstream, withJson } from './forward.ts';
import { openRelay, type Way } from './relay.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Answers with the request that it got. */
async function emulator(newServer: (listener: RequestListener) => ReturnType<typeof createServer> = createServer) {
  const { port, close } = await serve<object>(newServer, 0, {
    react: ({ method, url, headers }, body) => ({ method, url, host: headers.host, body: body?.toString() }),
    send: (response, answer) => response.writeHead(200).end(JSON.stringify(answer)),
  });
  closing.push(close);
  return port;
}

async function relayTo(upstream: Upstream, way: Partial<Way> = {}) {
  const nameOperation: Way['nameOperation'] = ({ method = '' }) => ({ operation: method, writes: method === 'PUT' });
  const relay = await openRelay({ upstream, nameOperation, ...way });
  closing.push(relay.close);
  return relay;
}

const sent = (method: string, body = '') => ({ method, path: '/a?b=c', headers: {}, body });
const ask = async (upstream: Upstream, method: string, body?: string) =>
  JSON.parse((await forward(upstream, sent(method, body))).body.toString());

test('a relay forwards requests, and counts them by operation', async () => {
  const relay = await relayTo({ url: `http://127.0.0.1:${await emulator()}` });
  const upstream = { url: `http://127.0.0.1:${relay.port}` };
  expect(await ask(upstream, 'PUT', 'the body')).toMatchObject({ method: 'PUT', url: '/a?b=c', body: 'the body' });
  await ask(upstream, 'GET');
  await ask(upstream, 'GET');
  expect(Object.fromEntries(relay.calls)).toEqual({ PUT: 1, GET: 2 });
});

test('a relay uses https on both sides, checks the certificate of the emulator, and sends another host name', async () => {
  const theirs = await newCertificate('emulator');
  const ours = await newCertificate('relay');
  const port = await emulator((listener) => createSecureServer({ cert: theirs.cert, key: theirs.private }, listener));
  const certificate = await certificateAt(port);
  expect(certificate.replaceAll(/\s/g, '')).toBe(theirs.cert.replaceAll(/\s/g, ''));
  const upstream = { url: `https://127.0.0.1:${port}`, certificate, host: `vault.localhost:${port}` };
  const relay = await relayTo(upstream, { own: { cert: ours.cert, key: ours.private } });
  const answer = await ask({ url: `https://127.0.0.1:${relay.port}`, certificate: ours.cert }, 'GET');
  expect(answer).toMatchObject({ host: `vault.localhost:${port}` });
});

test('a relay refuses an emulator with another certificate', async () => {
  const [theirs, other] = [await newCertificate('emulator'), await newCertificate('other')];
  const port = await emulator((listener) => createSecureServer({ cert: theirs.cert, key: theirs.private }, listener));
  await expect(ask({ url: `https://127.0.0.1:${port}`, certificate: other.cert }, 'GET')).rejects.toThrow(
    /self-signed/,
  );
});

test('a relay changes paths and answers by its options', async () => {
  const relay = await relayTo(
    { url: `http://127.0.0.1:${await emulator()}` },
    { adaptPath: (path) => `/v2${path}`, adaptAnswer: (answer) => withJson(answer, { was: answer.body.toString() }) },
  );
  const { was } = await ask({ url: `http://127.0.0.1:${relay.port}` }, 'GET');
  expect(JSON.parse(was)).toMatchObject({ url: '/v2/a?b=c' });
});

test('a relay loses the requested number of answers to writes, except for spared ones', async () => {
  const relay = await relayTo(
    { url: `http://127.0.0.1:${await emulator()}` },
    {
      nameOperation: ({ method = '' }) => ({ operation: method, writes: method !== 'GET', spared: method === 'POST' }),
    },
  );
  const upstream = { url: `http://127.0.0.1:${relay.port}` };
  relay.fail({ kind: 'lost-answer', times: 1 });
  await ask(upstream, 'GET');
  await ask(upstream, 'POST');
  await expect(ask(upstream, 'PUT')).rejects.toThrow();
  await ask(upstream, 'PUT');
});

test('a relay cannot send refusals, which only the emulator can', async () => {
  const relay = await relayTo({ url: 'http://127.0.0.1:1' });
  expect(() => relay.fail({ kind: 'throttle' })).toThrow('an emulator cannot be made to answer with throttle');
});
