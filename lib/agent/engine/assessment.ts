import { z } from 'zod';
import type { Outcome } from '../api/job.ts';

const instances = z.object({ mode: z.string() }).array().optional();

interface Module {
  readonly resources?: readonly { readonly mode: string }[] | undefined;
  readonly child_modules?: readonly Module[] | undefined;
}

const module: z.ZodType<Module> = z.lazy(() =>
  z.object({ resources: instances, child_modules: z.array(module).optional() }),
);

const plan = z.object({
  resource_drift: z
    .array(z.object({ address: z.string(), change: z.object({ actions: z.array(z.string()) }) }))
    .optional(),
  prior_state: z.object({ values: z.object({ root_module: module.optional() }).optional() }).optional(),
  checks: z.array(z.object({ status: z.string() })).optional(),
});

/** The numbers of an assessment in the JSON form of a refresh-only plan; none for another form. */
export function countsOfAssessment(json: Buffer): Partial<Outcome> {
  const read = plan.safeParse(parsed(json));
  if (!read.success) return {};
  const { resource_drift = [], prior_state, checks = [] } = read.data;
  const drifts = resource_drift.filter(({ change }) => !change.actions.every((action) => action === 'no-op'));
  const gone = drifts.filter(({ change }) => change.actions.includes('delete')).length;
  const drifted = drifts.length;
  const having = (status: string): number => checks.filter((check) => check.status === status).length;
  return {
    'resources-drifted': drifted,
    // The state of a plan is the one after the refresh: resources that are gone are not part of it.
    'resources-undrifted': Math.max(0, managedIn(prior_state?.values?.root_module) - (drifted - gone)),
    'checks-passed': having('pass'),
    'checks-failed': having('fail'),
    'checks-errored': having('error'),
    'checks-unknown': having('unknown'),
  };
}

const managedIn = (one: Module | undefined): number =>
  (one?.resources ?? []).filter(({ mode }) => mode === 'managed').length +
  (one?.child_modules ?? []).reduce((sum, child) => sum + managedIn(child), 0);

function parsed(json: Buffer): unknown {
  try {
    return JSON.parse(json.toString());
  } catch {
    return undefined;
  }
}
