import type { NamespaceDirectory } from '../../../core/namespace.ts';
import type { Row } from '../../../path/contract/row.ts';
import type { Store } from '../../../store/store.ts';
import { passwordPolicyRows } from '../../password-policy/rows.ts';
import type { Acls } from '../store/acls.ts';
import { policyTexts } from '../store/policies.ts';
import { openTexts, type TextsOf } from '../store/texts.ts';
import { aclPolicyRows } from './acl-policies.ts';
import { capabilityRows } from './capabilities.ts';
import { formerPolicyRows } from './former-policies.ts';
import { resultantAclRow } from './resultant-acl.ts';

export interface PolicyRowParts {
  readonly store: Store;
  readonly acls: Acls;
  /** Absent: there is the root alone. */
  readonly namespaces?: NamespaceDirectory;
}

/** The rows of `sys/` about policies and what they allow, relative to that mount. */
export function policyRows({ store, acls, ...others }: PolicyRowParts): readonly Row[] {
  const stored = openTexts({ store }, 'policies');
  const policies: TextsOf = (namespace) => policyTexts(stored(namespace));
  return [
    ...aclPolicyRows(policies),
    ...formerPolicyRows(policies),
    ...capabilityRows({ store, acls, ...others }),
    resultantAclRow(acls),
    ...passwordPolicyRows(openTexts({ store }, 'password_policies')),
  ];
}
