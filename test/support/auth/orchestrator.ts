import type { IncomingMessage, ServerResponse } from 'node:http';
import { jwtVerify } from 'jose';
import { type HttpsServer, startHttps } from './https-server.ts';
import { type Issuer, inSeconds, newIssuer } from './tokens.ts';

/** A request that the stand-in received. */
interface Call {
  readonly path: string;
  readonly bearer: string;
  readonly body: { readonly spec?: { readonly token: string; readonly audiences?: readonly string[] } };
}

type Fault = (request: IncomingMessage, response: ServerResponse) => void;

/** Stands in for the API of an orchestrator: it reviews tokens of service accounts and knows namespaces. */
export interface Orchestrator extends HttpsServer {
  readonly issuer: Issuer;
  readonly calls: Call[];
  /** Tokens that may ask for reviews. */
  readonly reviewers: Set<string>;
  readonly labels: Map<string, Record<string, string>>;
  readonly annotations: Map<string, Record<string, string>>;
  /** Accounts that were deleted, as `namespace:name`. */
  readonly gone: Set<string>;
  /** While set, answers every request instead. */
  fault: Fault | undefined;
  /** While set, changes the status of reviews. */
  alter: ((status: Record<string, unknown>) => object) | undefined;
  /** A token as a pod gets it. */
  token(namespace: string, name: string, claims?: object): Promise<string>;
}

const api = 'https://orchestrator.default.svc';

export async function startOrchestrator(names?: readonly string[]): Promise<Orchestrator> {
  const issuer = await newIssuer();
  const state = {
    issuer,
    calls: [] as Call[],
    reviewers: new Set<string>(),
    labels: new Map<string, Record<string, string>>(),
    annotations: new Map<string, Record<string, string>>(),
    gone: new Set<string>(),
    fault: undefined as Fault | undefined,
    alter: undefined as Orchestrator['alter'],
  };
  const server = await startHttps((request, response) => {
    if (state.fault !== undefined) return state.fault(request, response);
    void answer(state, request).then(([status, body]) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  }, names);
  return Object.assign(state, server, {
    token: (namespace: string, name: string, claims: object = {}) =>
      issuer.sign({
        iss: api,
        aud: [api],
        iat: inSeconds(0),
        nbf: inSeconds(0),
        exp: inSeconds(3_600),
        sub: `system:serviceaccount:${namespace}:${name}`,
        'kubernetes.io': { namespace, serviceaccount: { name, uid: uidOf(namespace, name) } },
        ...claims,
      }),
  });
}

export const uidOf = (namespace: string, name: string): string => `uid-${namespace}-${name}`;

type State = Omit<Orchestrator, keyof HttpsServer | 'token'>;

async function answer(state: State, request: IncomingMessage): Promise<[number, object]> {
  const path = request.url ?? '';
  const bearer = (request.headers.authorization ?? '').replace('Bearer ', '');
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = JSON.parse(Buffer.concat(chunks).toString() || '{}');
  state.calls.push({ path, bearer, body });
  if (!state.reviewers.has(bearer)) return [403, { kind: 'Status', message: 'forbidden' }];
  if (path.endsWith('/tokenreviews')) return [201, { kind: 'TokenReview', status: await reviewed(state, body.spec) }];
  const [, namespace = '', account] =
    /^\/api\/v1\/namespaces\/([^/]+)(?:\/serviceaccounts\/([^/]+))?$/.exec(path) ?? [];
  const labels = state.labels.get(namespace);
  const annotations = state.annotations.get(`${namespace}/${account}`);
  if (account === undefined ? labels === undefined : annotations === undefined) return [404, { kind: 'Status' }];
  return [200, { metadata: { labels, annotations } }];
}

async function reviewed(state: State, spec: NonNullable<Call['body']['spec']>): Promise<object> {
  const audiences = [...(spec.audiences ?? [api])];
  const checked = await jwtVerify(spec.token, state.issuer.publicKey, { audience: audiences }).catch(() => undefined);
  const [, , namespace = '', name = ''] = checked?.payload.sub?.split(':') ?? [];
  if (checked === undefined || state.gone.has(`${namespace}:${name}`))
    return { authenticated: false, error: 'invalid bearer token' };
  const status = {
    authenticated: true,
    audiences,
    user: {
      username: checked.payload.sub,
      uid: uidOf(namespace, name),
      groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
    },
  };
  return state.alter?.(status) ?? status;
}
