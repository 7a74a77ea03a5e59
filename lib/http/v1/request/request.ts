import { badField, badRequest } from '#core/errors.ts';
import { Secret } from '#core/secret.ts';
import type { Verb, Vocabulary } from '#path/contract/request.ts';
import { duration } from '#path/fields.ts';
import { canonicalPath, type TypeNames } from '#path/vocabulary.ts';
import { mustBeMergePatch, mustBeUncompressed } from '../../wire/body/media.ts';
import { type Headers, header, type Incoming } from '../../wire/exchange.ts';
import { UnsupportedOperation } from '../../wire/refusals.ts';
import { allVerbs, type HttpVerb } from '../../wire/verbs/names.ts';
import { type Address, aliasedHeader, mustBeSound, vocabularyOf } from './address.ts';

/** The parsed head of a request: everything that is known without its body and without a lookup. */
export interface ParsedHead {
  readonly verb: Verb;
  /** The client requests the help of the path, not the path. */
  readonly help: boolean;
  /** The path of a namespace with a trailing slash; empty when none was sent. */
  readonly namespaceHeader: string;
  /** With canonical type names. The path of the URL; from the stage `address` on, relative to the namespace. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly token: Secret | undefined;
  readonly vocabulary: Vocabulary;
  /** How long the reply is to be wrapped, in seconds; undefined when it is not to be wrapped. */
  readonly wrapSeconds: number | undefined;
}

const verbs: Readonly<Record<string, Verb>> = {
  GET: 'read',
  HEAD: 'read',
  HELP: 'read',
  LIST: 'list',
  POST: 'write',
  PUT: 'write',
  PATCH: 'patch',
  DELETE: 'delete',
} satisfies Record<HttpVerb, Verb>;

/** @throws AppError 400, 405 or 415 when the head is not valid */
export function readHead(names: TypeNames, incoming: Incoming, { path: sent, query }: Address): ParsedHead {
  const { method, headers } = incoming;
  const base = verbs[method];
  if (base === undefined) throw new UnsupportedOperation(allVerbs, []);
  const verb = method === 'GET' && flag(query, 'list') ? 'list' : base;
  const namespaceHeader = namespaceOf(headers);
  mustBeSound(namespaceHeader + sent);
  const wrapSeconds = wrapSecondsOf(headers);
  if (bringsBody(verb)) mustHaveReadableBody(verb, headers);
  return {
    verb,
    help: method === 'HELP' || flag(query, 'help'),
    namespaceHeader,
    path: canonicalPath(names, verb === 'list' && !sent.endsWith('/') ? `${sent}/` : sent),
    query,
    token: tokenOf(headers),
    vocabulary: vocabularyOf(names, headers, sent),
    wrapSeconds,
  };
}

/** Whether the body of such a request is read. */
export const bringsBody = (verb: Verb): boolean => verb === 'write' || verb === 'patch';

function mustHaveReadableBody(verb: Verb, headers: Headers): void {
  mustBeUncompressed(headers);
  if (verb === 'patch') mustBeMergePatch(header(headers, 'content-type'));
}

/** A namespace is simply the first part of the path. */
function namespaceOf(headers: Headers): string {
  const given = aliasedHeader(headers, 'namespace')?.value;
  const segments = (given ?? '').split('/').filter((segment) => segment !== '');
  const isRoot = segments.length === 0 || (segments.length === 1 && segments[0] === 'root');
  return isRoot ? '' : `${segments.join('/')}/`;
}

/** The same request relative to a namespace. */
export const headBelow = (names: TypeNames, asked: ParsedHead, path: string): ParsedHead => ({
  ...asked,
  path: canonicalPath(names, path),
  vocabulary: asked.vocabulary === 'alias' || canonicalPath(names, path) !== path ? 'alias' : 'canonical',
});

function tokenOf(headers: Headers): Secret | undefined {
  const given = aliasedHeader(headers, 'token')?.value;
  if (given !== undefined && given !== '') return new Secret(given);
  const bearer = /^Bearer +(\S+) *$/i.exec(header(headers, 'authorization') ?? '')?.[1];
  return bearer === undefined ? undefined : new Secret(bearer);
}

/** Zero seconds means no wrapping. */
function wrapSecondsOf(headers: Headers): number | undefined {
  const given = aliasedHeader(headers, 'wrapTtl');
  if (given === undefined) return undefined;
  const { name, value } = given;
  if (value.trim().startsWith('-')) throw badRequest('requested wrap ttl cannot be negative');
  const seconds = wrapTtl.safeParse(value);
  if (!seconds.success)
    throw badRequest(`error parsing the header ${name}: expected a number of seconds or a text such as "30s"`);
  if (seconds.data > wrapSecondsMax)
    throw badRequest(`the requested wrap ttl may be at most ${wrapSecondsMax} seconds`);
  return seconds.data === 0 ? undefined : seconds.data;
}

const wrapTtl = duration();
const wrapSecondsMax = 2_147_483_647;

function flag(query: URLSearchParams, name: string): boolean {
  const value = query.size === 0 ? null : query.get(name);
  if (value === null || value === '') return false;
  if (/^(1|t|T|TRUE|true|True)$/.test(value)) return true;
  if (/^(0|f|F|FALSE|false|False)$/.test(value)) return false;
  throw badField(name, `the query parameter "${name}" must be a boolean`);
}
