// Beyond the usual files: the host's documents about variables are parsed here, with our mark in their descriptions.
import { z } from 'zod';

const idPattern = /^[\w.-]{1,128}$/;

/** The host's names of the two categories that we write. */
export type HostCategory = 'env' | 'terraform';

/** A variable as the host shows it. Its value is not read. */
export interface VariableRecord {
  readonly id: string;
  readonly name: string;
  /** `env`, `terraform`, or one that we do not write: `policy-set`. */
  readonly category: string;
  readonly hcl: boolean;
  readonly sensitive: boolean;
  readonly mark: string | null;
  /** The variable's id and the host's version of it, which changes with each write. */
  readonly version: string;
}

/** One page of a list. */
export interface Page {
  readonly records: readonly VariableRecord[];
  /** Number of the next page; undefined for the last page. */
  readonly next: number | undefined;
  /** Number of entries in the whole list, if the host sends it. */
  readonly total: number | undefined;
}

const bareVariable = z.object({
  type: z.literal('vars'),
  id: z.string().regex(idPattern),
  attributes: z.object({
    key: z.string(),
    category: z.string(),
    description: z.string().nullish(),
    hcl: z.boolean().nullish(),
    sensitive: z.boolean().nullish(),
    'version-id': z.string().nullish(),
  }),
});
const variable = bareVariable.transform(toRecord);

const pagination = z.object({ 'next-page': z.number().nullish(), 'total-count': z.number().nullish() });
const page = z
  .object({ data: z.array(variable), meta: z.object({ pagination: pagination.nullish() }).nullish() })
  .transform(({ data, meta }): Page => {
    const { 'next-page': next, 'total-count': total } = meta?.pagination ?? {};
    return { records: data, next: next ?? undefined, total: total ?? undefined };
  });

/** One page of a list of variables; without `meta.pagination` it is the only one. */
export const parsePage = (body: unknown) => page.safeParse(body);
/** The answer to a creation or an edit. */
export const parseVariable = (body: unknown) => z.object({ data: variable }).safeParse(body);
/** The answer to a look-up of a workspace by its name. */
export const parseWorkspace = (body: unknown) =>
  z.object({ data: z.object({ type: z.literal('workspaces'), id: z.string().regex(idPattern) }) }).safeParse(body);

function toRecord({ id, attributes }: z.output<typeof bareVariable>): VariableRecord {
  const { key, category, description, hcl, sensitive, 'version-id': versionId } = attributes;
  return {
    id,
    name: key,
    category,
    hcl: hcl === true,
    sensitive: sensitive === true,
    mark: markIn(description ?? ''),
    version: `${id}:${versionId ?? ''}`,
  };
}

/** The id in one of our versions. */
export const idOfVersion = (version: string | null): string | undefined => version?.replace(/:[^:]*$/, '');

const markPattern = /(?:^|; )managed by keyferry, mark ([0-9a-f]{32})$/;
const markText = (mark: string): string => `managed by keyferry, mark ${mark}`;

/** The host allows 512 characters, of which our mark takes the last ones. */
export const descriptionLengthMax = 512 - markText('0'.repeat(32)).length - '; '.length;

/** The description of our variables: the destination's text, followed by the mark. */
export const descriptionOf = (text: string | undefined, mark: string): string =>
  text === undefined ? markText(mark) : `${text}; ${markText(mark)}`;

/** Null when the description is not ours or was overwritten. */
const markIn = (description: string): string | null => markPattern.exec(description)?.[1] ?? null;
