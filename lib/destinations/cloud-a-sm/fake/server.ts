import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Faults, meet, type Reaction } from '../../frame/fake/faults.ts';
import { type Served, serve } from '../../frame/fake/server.ts';
import type { Account } from './account.ts';
import { type Answer, Refused, refusal } from './answer.ts';
import { faultRefusal } from './faults.ts';
import { route } from './route.ts';
import type { Signed } from './signature.ts';

/** Serves the account at 127.0.0.1. */
export function serveAccount(
  account: Account,
  faults: Faults,
  calls: Map<string, number>,
  port: number,
): Promise<Served> {
  function react(request: IncomingMessage, body: Buffer | undefined): Reaction<Answer> {
    if (body === undefined) return refusal('json', new Refused('RequestEntityTooLargeException', 'too large', 413));
    const { operation, protocol, writes, answer } = route(account, signedOf(request, body));
    calls.set(operation, (calls.get(operation) ?? 0) + 1);
    return meet(faults.take({ operation, writes }), answer, (fault) => {
      const refused = faultRefusal(fault, protocol, operation);
      return refused === undefined ? undefined : refusal(protocol, refused);
    });
  }

  return serve(createServer, port, { react, send: (response, answer) => send(response, account, answer) });
}

function signedOf({ headers, method = 'GET', url = '/' }: IncomingMessage, body: Buffer): Signed {
  const given = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  return { method, target: url, headers: Object.fromEntries(given), body };
}

function send(response: ServerResponse, account: Account, { status, body, type, headers }: Answer): void {
  response.writeHead(status, {
    date: account.now().toUTCString(),
    'content-type': type,
    'x-amzn-requestid': randomUUID(),
    ...headers,
  });
  response.end(body);
}
