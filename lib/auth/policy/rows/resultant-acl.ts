import { permissionDenied } from '#core/errors.ts';
import type { Namespace } from '#core/namespace.ts';
import type { Vocabulary } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { pathName, type TypeNames } from '#path/vocabulary.ts';
import { hasSegmentWildcard } from '../acl.ts';
import { shownCapabilities } from '../decide.ts';
import type { Grant, ParameterRule } from '../rule.ts';
import type { Acls } from '../store/acls.ts';

/** `sys/internal/ui/resultant-acl`: everything that the caller may do, so that user interfaces can hide the rest. */
export const resultantAclRow = (acls: Acls, typeNames: TypeNames): Row => ({
  pattern: 'internal/ui/resultant-acl',
  help: 'Shows the merged rules of all policies of the caller.',
  operations: {
    read: operation(
      {},
      {
        summary: 'Read the merged policies of the caller',
        async run(_input, { caller, vocabulary }) {
          if (caller === undefined) throw permissionDenied();
          if (caller.root) return { data: { root: true, exact_paths: {}, glob_paths: {} } };
          const { exact, globs } = await acls.of(caller);
          const shown = view(typeNames, vocabulary, caller.namespace);
          return { data: { root: false, exact_paths: shown(exact), glob_paths: shown(globs) } };
        },
      },
    ),
  },
});

/** Paths are relative to the namespace of the token, so grants of groups in other namespaces are left out. */
const view =
  (typeNames: TypeNames, vocabulary: Vocabulary, { path: own }: Namespace) =>
  (grants: ReadonlyMap<string, Grant>) =>
    Object.fromEntries(
      [...grants]
        .filter(([pattern]) => pattern.startsWith(own))
        .map(([pattern, grant]) => [
          pathName(typeNames, prefixOf(pattern.slice(own.length)), vocabulary),
          grantView(grant),
        ]),
    );

/** Clients expect patterns that end in `*` without it, and patterns with `+` unchanged. */
const prefixOf = (pattern: string): string =>
  pattern.endsWith('*') && !hasSegmentWildcard(pattern) ? pattern.slice(0, -1) : pattern;

const grantView = (grant: Grant): object => ({
  capabilities: shownCapabilities(grant.capabilities),
  ...(grant.wrappingSecondsMin > 0 ? { min_wrapping_ttl: grant.wrappingSecondsMin } : {}),
  ...(grant.wrappingSecondsMax > 0 ? { max_wrapping_ttl: grant.wrappingSecondsMax } : {}),
  ...(grant.allowedParameters.size > 0 ? { allowed_parameters: ruleView(grant.allowedParameters) } : {}),
  ...(grant.deniedParameters.size > 0 ? { denied_parameters: ruleView(grant.deniedParameters) } : {}),
  ...(grant.requiredParameters.size > 0 ? { required_parameters: [...grant.requiredParameters] } : {}),
});

/** One rule with the pattern as its policy has it. */
export const ruleOf = (typeNames: TypeNames, vocabulary: Vocabulary, pattern: string, grant: Grant): object => ({
  path: pathName(typeNames, pattern, vocabulary),
  ...grantView(grant),
});

const ruleView = (rule: ParameterRule): object => Object.fromEntries(rule);
