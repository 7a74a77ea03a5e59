import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';

/** The client that the system is at its provider. */
export interface Registered {
  readonly issuer: string;
  readonly id: string;
  readonly secret: string;
}

export interface RelyingParty {
  /** Of another site than the service. */
  readonly address: string;
  /** Where a provider sends its users back to. */
  readonly redirectUri: string;
  client: Registered | undefined;
  close(): void;
}

type Document = Readonly<Record<string, string>>;

/**
 * A system whose users log in at an OpenID provider, which it knows by its discovery document. `/login` sends a browser there, with the
 * parameters of its own query in addition; `/done` says who has come back, once the ID token is verified.
 */
export async function startRelyingParty(): Promise<RelyingParty> {
  const begun = new Map<string, { readonly verifier: string; readonly nonce: string }>();
  const party = { client: undefined as Registered | undefined };
  const own = () => {
    if (party.client === undefined) throw new Error('the system is not registered');
    return party.client;
  };

  async function login(more: URLSearchParams): Promise<string> {
    const document = await discovered(own().issuer);
    const [state, nonce, verifier] = [text(), text(), text()];
    begun.set(state, { verifier, nonce });
    const url = new URL(document['authorization_endpoint'] ?? '');
    const asked = {
      scope: 'openid',
      response_type: 'code',
      client_id: own().id,
      redirect_uri: redirectUri,
      state,
      nonce,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...Object.fromEntries(more),
    };
    for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
    return url.href;
  }

  async function done(answer: URLSearchParams): Promise<string> {
    const login = begun.get(answer.get('state') ?? '');
    if (login === undefined) return 'The state is unknown';
    const error = answer.get('error');
    if (error !== null) return `Refused: ${error}`;
    const { issuer, id, secret } = own();
    const document = await discovered(issuer);
    const reply = await fetch(document['token_endpoint'] ?? '', {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: answer.get('code') ?? '',
        redirect_uri: redirectUri,
        code_verifier: login.verifier,
      }),
    });
    const { id_token = '' } = (await reply.json()) as Document;
    const keys = (await (await fetch(document['jwks_uri'] ?? '')).json()) as JSONWebKeySet;
    const { payload } = await jwtVerify(id_token, createLocalJWKSet(keys), { issuer, audience: id });
    return payload['nonce'] === login.nonce ? `Hello ${payload.sub}` : 'The nonce is wrong';
  }

  const server = createServer((request, reply) => {
    const { pathname, searchParams } = urlOf(request);
    if (pathname === '/login')
      void login(searchParams).then((location) => reply.writeHead(302, { location }).end(), failed);
    else if (pathname === '/done') void done(searchParams).then(show, failed);
    else reply.writeHead(404).end();
    function show(words: string) {
      reply
        .writeHead(200, { 'content-type': 'text/html' })
        .end(`<!doctype html><html lang="en"><title>x</title><link rel="icon" href="data:,"><p>${words}</p>`);
    }
    function failed(error: unknown) {
      show(`Failed: ${String(error)}`);
    }
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const address = `http://localhost:${(server.address() as AddressInfo).port}`;
  const redirectUri = `${address}/done?tenant=a`;
  return Object.assign(party, {
    address,
    redirectUri,
    close() {
      server.closeAllConnections();
      server.close();
    },
  });
}

const urlOf = ({ url = '' }: IncomingMessage): URL => new URL(url, 'http://localhost');

const text = (): string => randomBytes(32).toString('base64url');

async function discovered(issuer: string): Promise<Document> {
  const document = (await (await fetch(`${issuer}/.well-known/openid-configuration`)).json()) as Document;
  if (document['issuer'] !== issuer) throw new Error(`the document is of ${document['issuer']}`);
  return document;
}
