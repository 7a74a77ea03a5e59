import { type AnyRequest, isWorkspaces, queryOf } from '#client/request.ts';
import { printJson } from '#client/wire/json.ts';
import type { GroupShape, Typed } from '#ui/form/shape.ts';

/** A word as the shell reads it. */
export const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** Placeholder in the lines for fields that are secrets. */
export function withoutSecrets(groups: readonly GroupShape[], typed: Typed): Typed {
  const hidden = groups.flatMap(({ fields }) => fields.filter(({ sensitive }) => sensitive));
  const instead = hidden.flatMap(({ name, label, type }) =>
    (typed[name] ?? '') === '' ? [] : [[name, type === 'object' || type === 'json' ? '{"…": "…"}' : `<${label}>`]],
  );
  return { ...typed, ...Object.fromEntries(instead) };
}

/** The request for `curl`. The token stays in the environment. */
export function curlLine(request: AnyRequest, origin: string, namespace: string): string {
  const isApi = isWorkspaces(request.path);
  const type = isApi
    ? 'application/vnd.api+json'
    : request.method === 'PATCH'
      ? 'application/merge-patch+json'
      : 'application/json';
  const words = [
    'curl -sS',
    ...(request.method === 'GET' ? [] : [`-X ${request.method}`]),
    isApi ? '-H "Authorization: Bearer $VAULT_TOKEN"' : '-H "X-Vault-Token: $VAULT_TOKEN"',
    ...(namespace === '' || isApi ? [] : [`-H ${quoted(`X-Vault-Namespace: ${namespace}`)}`]),
    ...(request.body === undefined && !(isApi && request.method !== 'GET') ? [] : [`-H 'Content-Type: ${type}'`]),
    ...(request.body === undefined ? [] : [`-d ${quoted(printJson(request.body))}`]),
    quoted(`${origin}/${request.path}${queryOf(request)}`),
  ];
  return words.join(' ');
}

/** The request for the command line of this service. */
export function keyferryLine(request: AnyRequest, namespace: string): string {
  const path = isWorkspaces(request.path) ? `/${request.path}` : request.path.replace(/^v1\//, '');
  const words = [
    'keyferry api',
    request.method,
    quoted(`${path}${queryOf(request)}`),
    ...(request.body === undefined ? [] : ['-d', quoted(printJson(request.body))]),
    ...(namespace === '' ? [] : ['--namespace', quoted(namespace)]),
  ];
  return words.join(' ');
}
