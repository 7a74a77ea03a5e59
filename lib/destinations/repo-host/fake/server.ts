import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { type Faults, meet, type Reaction } from '../../frame/fake/faults.ts';
import { parseJson } from '../../frame/fake/rest.ts';
import { type Served, sendJson, serve } from '../../frame/fake/server.ts';
import { type Answer, faultAnswer, problem } from './answer.ts';
import { type Host, hostNow } from './host.ts';
import { type Question, route } from './routes.ts';

const hourlyLimit = 5_000;

/** Serves the host at 127.0.0.1, at the root and below `/api/v3` as a self-hosted one does. */
export function serveHost(host: Host, faults: Faults, calls: Map<string, number>, port: number): Promise<Served> {
  const budget = newBudget(host);

  function react(request: IncomingMessage, body: Buffer | undefined): Reaction<Answer> {
    if (body === undefined) return problem(413, 'Payload too large');
    const { operation, writes, answer } = route(host, questionOf(request, body));
    calls.set(operation, (calls.get(operation) ?? 0) + 1);
    return meet(faults.take({ writes }), answer, (fault) => faultAnswer(fault, hostNow(host)));
  }

  return serve(createServer, port, {
    react,
    send(response, { status, headers, body }) {
      const usual = { date: hostNow(host).toUTCString(), 'x-github-request-id': randomUUID(), ...budget() };
      sendJson(response, status, { ...usual, ...headers }, body);
    },
  });
}

function questionOf(request: IncomingMessage, body: Buffer): Question {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const path = url.pathname
    .replace(/^\/api\/v3(?=\/)/, '')
    .split('/')
    .slice(1);
  return {
    method: request.method ?? 'GET',
    path: path.map(decodeURIComponent),
    query: url.searchParams,
    authorization: request.headers.authorization ?? '',
    body: parseJson(body.toString()),
  };
}

/** The headers of the hourly budget. It is counted but not enforced; tests use `fail` for that. */
function newBudget(host: Host): () => Readonly<Record<string, string>> {
  let used = 0;
  return () => {
    used += 1;
    return {
      'x-ratelimit-limit': String(hourlyLimit),
      'x-ratelimit-remaining': String(Math.max(hourlyLimit - used, 1)),
      'x-ratelimit-used': String(used),
      'x-ratelimit-reset': String(Math.ceil(hostNow(host).getTime() / 1000) + 3600),
      'x-ratelimit-resource': 'core',
    };
  };
}
