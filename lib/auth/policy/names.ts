/** Policy names in stored form: trimmed, in lower case, sorted, without blanks and duplicates. `root` replaces all others. */
export function policySet(wanted: readonly string[]): readonly string[] {
  const names = new Set(wanted.map((policy) => policy.trim().toLowerCase()));
  names.delete('');
  return names.has('root') ? ['root'] : [...names].sort();
}

/** The policies of a token: the requested ones, and `default` unless it is left out. */
export function tokenPolicies(wanted: readonly string[], noDefaultPolicy: boolean): readonly string[] {
  const names = policySet(wanted);
  if (names.includes('root')) return names;
  return noDefaultPolicy ? names.filter((name) => name !== 'default') : policySet([...names, 'default']);
}
