import { z } from 'zod';
import { type Input, sizeRule, text, textList } from '#path/fields.ts';
import { endpointField, tlsCaCertField } from '../frame/fields/endpoint.ts';
import { form } from '../frame/fields/form.ts';
import { routing } from '../frame/fields/own.ts';

export const publicApi = 'https://api.vercel.com';
export const environments = ['development', 'preview', 'production'] as const;
export type Environment = (typeof environments)[number];

/** Ids and names become segments of the URL's path, so they have no characters of URL syntax and are neither `.` nor `..`. */
const idPattern = /^(?!\.{1,2}$)[\w.-]{1,128}$/;
const idRule = 'must be 1 to 128 characters of A-Z a-z 0-9 _ . -';
const isEnvironment = (value: string): boolean => environments.some((environment) => environment === value);

/** Request fields of the type (docs/destinations). */
export const fields = {
  access_token: text()
    .refine((value) => value.trim() !== '', 'access_token must not be empty')
    .meta({
      ...form('Access token', 'credentials'),
      description: 'Token with permission to read and write environment variables of the project',
      sensitive: true,
    }),
  project_id: text()
    .refine((value) => idPattern.test(value), `project_id ${idRule}`)
    .meta({ ...form('Project', 'target'), description: 'Id or name of the project', immutable: true }),
  team_id: z
    .preprocess(
      (value) => (value === '' ? undefined : value),
      text()
        .refine((value) => idPattern.test(value), `team_id ${idRule}`)
        .optional(),
    )
    .optional()
    .meta({
      ...form('Team ID', 'target'),
      description: 'Id of the team that owns the project; not needed for a personal account',
    }),
  deployment_environments: textList()
    .superRefine((entries, context) => {
      for (const entry of entries.filter((value) => !isEnvironment(value))) {
        const message = `invalid environment ${JSON.stringify(entry)}: deployment_environments takes ${environments.join(', ')}`;
        context.addIssue({ code: 'custom', message });
      }
    })
    .pipe(
      z.array(z.enum(environments)).min(1, sizeRule(`deployment_environments needs one of ${environments.join(', ')}`)),
    )
    .meta({
      ...form('Environments', 'target'),
      description: 'Environments whose deployments get the variables: development, preview, production',
    }),
  endpoint: endpointField(publicApi).meta(routing),
  tls_ca_cert: tlsCaCertField().meta(routing),
};

export type Connection = Input<typeof fields>;
