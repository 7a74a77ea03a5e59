import { describe, expect, test } from 'vitest';
import type { Need } from '#auth/contract.ts';
import { compileAcl } from '#auth/policy/acl.ts';
import { capabilitiesOn, decide } from '#auth/policy/decide.ts';
import { parsePolicy } from '#auth/policy/parse.ts';
import type { PolicyName } from '#auth/policy/rule.ts';
import { defaultPolicyText, responseWrappingPolicyText } from '#auth/policy/store/built-in.ts';
import { rulesFor, type Subject } from '#auth/policy/template.ts';
import { noParameters } from '#path/input/parameters.ts';
import { methodTypeNames } from '#path/vocabulary.ts';

const aclOf = (text: string) => compileAcl(parsePolicy(text).rules, methodTypeNames);
const onA = (text: string) => aclOf(`path "a" { ${text} }`);
const need = (change: Partial<Need> = {}): Need => ({
  capability: 'update',
  path: 'a',
  sudo: false,
  parameters: noParameters,
  wrapSeconds: undefined,
  ...change,
});
const why = (text: string, change: Partial<Need> = {}) => {
  const decision = decide(onA(text), need(change));
  return decision.allowed ? 'allowed' : decision.why;
};

describe('granting policies', () => {
  const [reader, writer] = [
    { name: 'reader', namespaceId: 'root' },
    { name: 'writer', namespaceId: 'root' },
  ];
  const rulesOf = (policy: PolicyName, text: string) =>
    parsePolicy(text).rules.map((rule) => ({ ...rule, shares: [{ policy, capabilities: rule.capabilities }] }));
  const acl = compileAcl(
    [
      ...rulesOf(reader, 'path "a" { capabilities = ["read"] } path "a" { capabilities = ["read", "list"] }'),
      ...rulesOf(writer, 'path "a" { capabilities = ["read", "update"] } path "+" { capabilities = ["delete"] }'),
    ],
    methodTypeNames,
  );
  const grantedBy = (change: Partial<Need>) => {
    const decision = decide(acl, need(change));
    return decision.allowed ? decision.grantedBy : undefined;
  };

  test('are those with the capability on the deciding pattern, each once', () => {
    expect(grantedBy({ capability: 'read' })).toEqual([reader, writer]);
    expect(grantedBy({ capability: 'update' })).toEqual([writer]);
    expect(grantedBy({ capability: 'delete', path: 'b' })).toEqual([writer]);
    expect(grantedBy({ capability: 'delete' })).toBeUndefined();
  });
});

describe('capabilities', () => {
  test.each([
    ['capabilities = ["update"]', {}, 'allowed'],
    ['capabilities = ["read"]', {}, 'the capability "update" is missing'],
    ['capabilities = ["update", "deny"]', {}, 'a rule denies the path'],
    ['capabilities = ["update"]', { path: 'b' }, 'no rule matches the path'],
    ['capabilities = ["update"]', { sudo: true }, 'the capability "sudo" is missing'],
    ['capabilities = ["update", "sudo"]', { sudo: true }, 'allowed'],
  ])('%s with %j: %s', (text, change, expected) => {
    expect(why(text, change)).toBe(expected);
  });

  test('are listed for a path, deny alone where nothing is allowed', () => {
    const acl = aclOf('path "a" { capabilities = ["update", "read"] } path "b" { policy = "deny" }');
    expect(capabilitiesOn(acl, 'a')).toEqual(['read', 'update']);
    expect(capabilitiesOn(acl, 'b')).toEqual(['deny']);
    expect(capabilitiesOn(acl, 'c')).toEqual(['deny']);
  });
});

test('the capabilities on a folder are those that apply to its listing', () => {
  const rules = ['"kv1/a*" { capabilities = ["list"] }', '"kv1/a/+" { capabilities = ["read"] }'];
  const acl = aclOf(rules.map((rule) => `path ${rule}`).join('\n'));
  expect(capabilitiesOn(acl, 'kv1/a/')).toEqual(['list']);
  expect(decide(acl, need({ capability: 'list', path: 'kv1/a/' })).allowed).toBe(true);
});

describe('wrapping limits', () => {
  const between = 'capabilities = ["update"] min_wrapping_ttl = "1m" max_wrapping_ttl = "1h"';
  test.each([
    [between, undefined, 'the reply has to be wrapped'],
    [between, 59, 'the reply has to be wrapped for at least 60 s'],
    [between, 60, 'allowed'],
    [between, 3601, 'the reply may be wrapped for at most 3600 s'],
    [
      'capabilities = ["update"] min_wrapping_ttl = "1m" max_wrapping_ttl = "1s"',
      60,
      'the wrapping limits exclude every duration',
    ],
    ['capabilities = ["update"]', 10, 'allowed'],
  ])('%s with %s seconds: %s', (text, wrapSeconds, expected) => {
    expect(why(text, { wrapSeconds })).toBe(expected);
  });
});

describe('templates', () => {
  const alias = { id: 'al-1', name: 'team/bot', metadata: { role: 'ci' }, customMetadata: { area: 'eu' } };
  const entity = { id: 'en-1', name: 'ada', metadata: { team: 'web', wild: '*' }, aliases: new Map([['acc', alias]]) };
  const subject: Subject = { entity, groups: [{ id: 'g-1', name: 'ops', metadata: { floor: '3' } }] };
  const rendered = (pattern: string, who = subject) =>
    rulesFor(parsePolicy(`path "${pattern}" {}`), who).map((rule) => rule.pattern)[0];

  test.each([
    ['a/{{identity.entity.id}}/*', 'a/en-1/*'],
    ['a/{{ identity.entity.name }}', 'a/ada'],
    ['a/{{identity.entity.metadata.team}}', 'a/web'],
    ['a/{{identity.entity.aliases.acc.id}}', 'a/al-1'],
    ['a/{{identity.entity.aliases.acc.name}}', 'a/team/bot'],
    ['a/{{identity.entity.aliases.acc.metadata.role}}', 'a/ci'],
    ['a/{{identity.entity.aliases.acc.custom_metadata.area}}', 'a/eu'],
    ['a/{{identity.groups.ids.g-1.name}}', 'a/ops'],
    ['a/{{identity.groups.names.ops.id}}', 'a/g-1'],
    ['a/{{identity.groups.names.ops.metadata.floor}}', 'a/3'],
    ['a/{{identity.entity.metadata.none}}', undefined],
    ['a/{{identity.entity.metadata.toString}}', undefined],
    ['a/{{identity.entity.metadata.wild}}', undefined],
    ['a/{{identity.entity.aliases.other.id}}', undefined],
    ['a/{{identity.groups.names.dev.id}}', undefined],
    ['a/{{something.else}}', undefined],
    ['a/{{identity.entity.id', undefined],
  ])('%s is %s', (pattern, expected) => {
    expect(rendered(pattern)).toBe(expected);
  });

  test('without an entity drop their rules and keep the others', () => {
    const policy = parsePolicy('path "a/{{identity.entity.id}}" {} path "b" {}');
    expect(rulesFor(policy, { groups: [] }).map(({ pattern }) => pattern)).toEqual(['b']);
  });
});

test('the built-in policies can be parsed', () => {
  const acl = compileAcl(rulesFor(parsePolicy(defaultPolicyText), { groups: [] }), methodTypeNames);
  expect(capabilitiesOn(acl, 'auth/token/lookup-self')).toEqual(['read', 'update']);
  expect(capabilitiesOn(acl, 'sys/tools/hash/sha2-256')).toEqual(['update']);
  expect(capabilitiesOn(acl, 'secret/data/a')).toEqual(['deny']);
  const wrapping = compileAcl(parsePolicy(responseWrappingPolicyText).rules, methodTypeNames);
  expect(capabilitiesOn(wrapping, 'cubbyhole/response')).toEqual(['create', 'read']);
});
