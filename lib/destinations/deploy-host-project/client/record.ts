// Beyond the usual files: the host's documents about variables are parsed here, with our mark in their comments.
import { z } from 'zod';

/** A variable as the host shows it. Its encrypted value is not read. */
export interface VariableRecord {
  readonly id: string;
  readonly name: string;
  /** `encrypted`, `sensitive`, `plain`, `system`, `secret`. */
  readonly type: string;
  readonly targets: readonly string[];
  /** The project's custom environments that get the variable, beside `targets`. */
  readonly customEnvironments: readonly string[];
  /** The branch of a variable for a single branch, which exists beside the one for all branches. */
  readonly branch: string | null;
  readonly mark: string | null;
  /** Changes with each write. */
  readonly version: string;
  /** Of the last write, in milliseconds since 1970. */
  readonly changedMs: number | null;
}

const variable = z.object({
  // System variables have no id.
  id: z.string().default(''),
  key: z.string(),
  type: z.string().default('encrypted'),
  target: z.union([z.string().transform((target) => [target]), z.array(z.string())]).default([]),
  customEnvironmentIds: z.array(z.string()).nullish(),
  gitBranch: z.string().nullish(),
  comment: z.string().nullish(),
  createdAt: z.number().nullish(),
  updatedAt: z.number().nullish(),
});

const refusal = z.object({
  error: z.object({
    code: z.string().default('unknown'),
    key: z.string().nullish(),
    envVarKey: z.string().nullish(),
  }),
});

const page = z.object({
  envs: z.array(variable.transform(toRecord)),
  pagination: z.object({ next: z.union([z.number(), z.string()]).nullish() }).nullish(),
});

const creation = z
  .object({
    created: z
      .union([z.array(variable.transform(toRecord)), variable.transform((entry) => [toRecord(entry)])])
      .optional(),
    failed: z
      .array(refusal.transform(({ error }) => ({ name: error.envVarKey ?? error.key, code: error.code })))
      .optional(),
  })
  .refine(({ created, failed }) => created !== undefined || failed !== undefined)
  .transform(({ created = [], failed = [] }) => ({ created, failed }));

/** One page of `GET /v10/projects/:id/env`; `next` is the cursor of the following one. */
export const parsePage = (body: unknown) => page.safeParse(body);
/** `POST /v10/projects/:id/env`: the request has an array, but the answer may have a single object for one entry. */
export const parseCreation = (body: unknown) => creation.safeParse(body);
/** `PATCH /v9/projects/:id/env/:id`. */
export const parseVariable = (body: unknown) => variable.transform(toRecord).safeParse(body);
/** `DELETE /v9/projects/:id/env/:id`: the removed variable, or a list with it. */
export const parseRemoval = (body: unknown) => z.union([variable, z.array(variable).min(1)]).safeParse(body);

function toRecord(entry: z.output<typeof variable>): VariableRecord {
  return {
    id: entry.id,
    name: entry.key,
    type: entry.type,
    targets: entry.target,
    customEnvironments: entry.customEnvironmentIds ?? [],
    branch: entry.gitBranch ?? null,
    mark: markIn(entry.comment ?? ''),
    version: `${entry.id}:${entry.updatedAt ?? entry.createdAt ?? 0}`,
    changedMs: entry.updatedAt ?? entry.createdAt ?? null,
  };
}

/** The id in one of our versions. */
export const idOfVersion = (version: string | null): string | undefined => version?.replace(/:\d+$/, '');

const markPattern = /^managed by keyferry, mark ([0-9a-f]{32})$/;

/** The comment of our variables (the host allows 500 characters). Users see it beside the name. */
export const commentOf = (mark: string): string => `managed by keyferry, mark ${mark}`;

/** Null when the comment is not ours or was overwritten. */
const markIn = (comment: string): string | null => markPattern.exec(comment)?.[1] ?? null;
