import { z } from 'zod';
import { sizeRule } from '#path/fields.ts';
import { flag, notBlank, text, texts } from '#path/jsonapi/fields.ts';
import { document } from '#path/jsonapi/input.ts';
import { isKnownVersion } from '../workspace-settings/engine-version.ts';

const addressesMax = 100;
const variablesMax = 300;
const valueCharactersMax = 262_144;

const variable = z.object(
  { key: text(255).min(1, notBlank), value: text(valueCharactersMax) },
  'must be a list of variables',
);

/** Attributes of a new run. */
export const runFields = {
  message: text(4_096).nullable(),
  'is-destroy': flag().nullable(),
  refresh: flag().nullable(),
  'refresh-only': flag().nullable(),
  'plan-only': flag().nullable(),
  'auto-apply': flag().nullable(),
  'save-plan': flag().nullable(),
  'allow-empty-apply': flag().nullable(),
  'allow-config-generation': flag().nullable(),
  'target-addrs': texts(addressesMax).nullable(),
  'replace-addrs': texts(addressesMax).nullable(),
  'policy-paths': texts(addressesMax)
    .refine((paths) => paths.length === 0, 'cannot be set: the policies of a run are those of its workspace')
    .nullable(),
  variables: z
    .array(variable, 'must be a list')
    .max(variablesMax, sizeRule(`may have at most ${variablesMax} entries`))
    .nullable(),
  'engine-version': text(64)
    .refine(isKnownVersion, 'is not a known version, "latest" or a constraint that one meets')
    .nullable(),
};

/** The document of a new run. Clients send several types. */
export const runBody = document({
  attributes: runFields,
  relationships: { workspace: 'workspaces', 'configuration-version': 'configuration-versions' },
});
