import { isObject, memberOf, textsOf, type Value } from '#client/wire/json.ts';

/**
 * Whether some rule of a caller grants a capability on a path below this one, as far as that can be said without its whole path.
 *
 * @param acl of `sys/internal/ui/resultant-acl`: exact paths, and beginnings of paths, in both of which `+` stands for a segment
 */
export function grantsBelow(acl: Value | undefined, path: string, capability: string): boolean {
  if (memberOf(acl, 'root') === true) return true;
  const root = path.replace(/\/$/, '').split('/');
  const granted = (member: string, isBeginning: boolean) => {
    const rules = memberOf(acl, member);
    return Object.entries(isObject(rules) ? rules : {}).some(([pattern, rule]) => {
      const held = textsOf(rule, 'capabilities');
      return (held.includes('root') || held.includes(capability)) && meets(pattern.split('/'), root, isBeginning);
    });
  };
  return granted('exact_paths', false) || granted('glob_paths', true);
}

/** A beginning may end before the root does, in the middle of a segment. */
function meets(pattern: readonly string[], root: readonly string[], isBeginning: boolean): boolean {
  if (pattern.length <= root.length && !isBeginning) return false;
  return root.every((segment, at) => {
    const wanted = pattern[at];
    if (wanted === undefined) return true;
    if (at === pattern.length - 1) return wanted === '+' || segment.startsWith(wanted.replace(/\*$/, ''));
    return wanted === '+' || wanted === segment;
  });
}
