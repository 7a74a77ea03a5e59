/**
 * Why a name is refused that has to have 1 to `lengthMax` characters in this form; undefined: it is not.
 *
 * @param rule the form, for people: "the name has other characters than A-Z"
 */
export function nameProblem(name: string, lengthMax: number, form: RegExp, rule: string): string | undefined {
  if (name === '') return 'the name is empty';
  if (name.length > lengthMax) return `the name has ${name.length} characters, at most ${lengthMax} are allowed`;
  return form.test(name) ? undefined : rule;
}
