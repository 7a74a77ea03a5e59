/** Valid documents by rows, so that the checks of other members run. The first match counts. */
const samples: readonly (readonly [RegExp, (n: number) => Sample])[] = [
  [/^POST .*\/organizations$/, (n) => ({ attributes: { name: `walked-${n}`, email: 'a@b.test' } })],
  [/^POST .*\/projects$/, (n) => ({ attributes: { name: `walked ${n}` } })],
  [
    /^POST .*\/organization-memberships$/,
    (n) => ({ type: 'organization-memberships', attributes: { email: `w${n}@b.test` } }),
  ],
  [/^POST .*\/teams$/, (n) => ({ attributes: { name: `walked ${n}` } })],
  [
    /^POST .*\/admin\/users$/,
    (n) => ({ type: 'users', attributes: { username: `walked${n}`, email: `walked${n}@b.test` } }),
  ],
  [/^POST .*\/teams\/:team_id\/authentication-tokens$/, (n) => ({ attributes: { description: `walked ${n}` } })],
  [/^\w+ .*\/account\/update$/, () => ({ type: 'users', attributes: {} })],
  [/^PATCH .*\/team-workspaces\//, () => ({ attributes: { access: 'custom' } })],
  [/^PATCH .*\/team-projects\//, () => ({ attributes: { access: 'custom' } })],
  [/^POST .*\/workspaces$/, (n) => ({ attributes: { name: `walked-${n}` } })],
  [/^POST .*\/vars$/, (n) => ({ attributes: { key: `walked${n}`, value: 'x', category: 'env' } })],
  [/^POST .*\/varsets$/, (n) => ({ attributes: { name: `walked ${n}`, global: false } })],
  [/^POST .*\/reserved-tag-keys$/, (n) => ({ attributes: { key: `walked${n}` } })],
  [/^(PATCH|DELETE) .*\/reserved-tags\//, () => ({ type: 'reserved-tag-keys', attributes: {} })],
  [/^POST .*\/comments$/, (n) => ({ attributes: { body: `walked ${n}` } })],
  [/^POST .*\/ssh-keys$/, (n) => ({ attributes: { name: `walked ${n}`, value: 'x' } })],
  [/^POST .*\/agent-pools$/, (n) => ({ attributes: { name: `walked ${n}` } })],
];

export interface Sample {
  readonly type?: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly relationships?: Readonly<Record<string, unknown>>;
}

/** The types of documents, by the last literal of a row's path. */
const typeOf = (path: string): string =>
  path
    .split('/')
    .filter((segment) => segment !== '' && !segment.startsWith(':'))
    .at(-1) ?? '';

/** The valid document for a row, different for each number. */
export function sampleOf(row: string, n: number): Required<Sample> {
  const found = samples.find(([pattern]) => pattern.test(row))?.[1](n) ?? { attributes: {} };
  return { type: typeOf(row), relationships: {}, ...found };
}
