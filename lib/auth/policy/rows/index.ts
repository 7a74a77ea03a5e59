import type { Row } from '#path/contract/row.ts';
import type { TypeNames } from '#path/vocabulary.ts';
import type { Store } from '#store/store.ts';
import type { Acls } from '../store/acls.ts';
import { policyTexts } from '../store/policies.ts';
import { openTexts, type TextsOf } from '../store/texts.ts';
import { aclPolicyRows } from './acl-policies.ts';
import { formerPolicyRows } from './former-policies.ts';
import { resultantAclRow } from './resultant-acl.ts';

export interface PolicyRowParts {
  readonly store: Store;
  readonly acls: Acls;
  readonly typeNames: TypeNames;
}

/** The rows of `sys/` about policies, relative to that mount. */
export function policyRows({ store, acls, typeNames }: PolicyRowParts): readonly Row[] {
  const stored = openTexts({ store }, 'policies');
  const policies: TextsOf = (namespace) => policyTexts(stored(namespace));
  return [...aclPolicyRows(policies), ...formerPolicyRows(policies), resultantAclRow(acls, typeNames)];
}
