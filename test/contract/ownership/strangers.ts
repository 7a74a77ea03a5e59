import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Reaction } from '../support/between.ts';

const page = '<!DOCTYPE html><html><body><form>Please log in to use the network</form></body></html>';

const answer =
  (status: number, headers: Readonly<Record<string, string>>, body?: string | Buffer): Reaction =>
  (response) =>
    response.writeHead(status, headers).end(body);

/** The target of the redirect. */
export const loginPath = '/log-in-to-use-the-network';

/** Answers that do not come from any of the systems. */
export const strangers: Readonly<Record<string, Reaction>> = {
  'a login page': answer(200, { 'content-type': 'text/html' }, page),
  'a login page that calls itself JSON': answer(200, { 'content-type': 'application/json' }, page),
  'foreign JSON': answer(200, { 'content-type': 'application/json' }, '{"ok":true,"message":"welcome"}'),
  'an empty list': answer(200, { 'content-type': 'application/json' }, '[]'),
  'foreign JSON with status 201': answer(201, { 'content-type': 'application/json' }, '{"ok":true}'),
  'an empty success': answer(204, {}),
  'a redirect to a login page': (response, asked) => {
    const html = { 'content-type': 'text/html' };
    if (asked.path === loginPath) answer(200, html, page)(response, asked);
    else answer(302, { ...html, location: loginPath }, page)(response, asked);
  },
};

/** Bytes that were read from each endless answer. */
export const taken: number[] = [];

const chunk = Buffer.alloc(64 * 1024, 'a');
/** The reader must stop long before this many bytes. */
export const endlessBytesMax = 256 * 1024 * 1024;

async function pour(response: ServerResponse): Promise<void> {
  let bytes = 0;
  const index = taken.push(0) - 1;
  response.on('error', () => undefined);
  // One listener for all chunks: a listener per chunk would leak whenever the other event wins the race.
  const closed = once(response, 'close').catch(() => undefined);
  while (!response.destroyed && bytes < endlessBytesMax) {
    bytes += chunk.length;
    taken[index] = bytes;
    if (!response.write(chunk)) await Promise.race([once(response, 'drain').catch(() => undefined), closed]);
  }
  response.end();
}

const bombPart = gzipSync(Buffer.alloc(32 * 1024 * 1024));
/** The unpacked size of the bomb. */
export const bombBytes = 512 * 1024 * 1024;
const bomb = Buffer.concat(Array.from({ length: bombBytes / (32 * 1024 * 1024) }, () => bombPart));

/** Answers that are larger than any answer of the systems. */
export const giants: Readonly<Record<string, Reaction>> = {
  'an endless answer': (response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"name":"');
    void pour(response);
  },
  'an endless refusal': (response) => {
    response.writeHead(400, { 'content-type': 'application/json' }).write('{"message":"');
    void pour(response);
  },
  'a small answer that unpacks to a giant one': answer(
    200,
    { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    bomb,
  ),
};

/** More headers than any of the systems sends. */
export const headers: Reaction = (response) => {
  const many = Array.from({ length: 64 }, (_, index) => [`x-filler-${index}`, 'f'.repeat(1024)]);
  response.writeHead(200, Object.fromEntries([...many, ['content-type', 'application/json']])).end('{}');
};
