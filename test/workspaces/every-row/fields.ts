import type { ApiRow } from '#path/jsonapi/row.ts';

/** The names that documents and queries may contain, of all rows together. */
export interface Names {
  readonly attributes: readonly string[];
  readonly relationships: readonly string[];
  readonly queries: readonly string[];
}

/** Collects the names from the rows, so that new names are tested automatically. */
export function namesOf(rows: readonly ApiRow[]): Names {
  const forms = rows.flatMap(({ body }) => (body === undefined ? [] : [body.form]));
  return {
    attributes: sorted(forms.flatMap((form) => ('attributes' in form ? Object.keys(form.attributes) : []))),
    relationships: sorted(forms.flatMap((form) => ('relationships' in form ? Object.keys(form.relationships) : []))),
    queries: sorted(
      rows.flatMap(({ query = {} }) =>
        Object.values(query).flatMap((field) => field.parameters.map(({ name }) => name)),
      ),
    ),
  };
}

const sorted = (names: readonly string[]): readonly string[] => [...new Set(names)].toSorted();
