/** A plan or an apply, with the names that clouds know it by. */
export interface Workload {
  readonly organization: Named;
  readonly project: Named;
  readonly workspace: Named;
  readonly runId: string;
  readonly phase: 'plan' | 'apply';
}

interface Named {
  readonly id: string;
  readonly name: string;
}

/** How long a token is valid, in seconds. It cannot be revoked, so it is short; one renewal of an hour's cloud credentials fits in. */
export const tokenSeconds = 7_200;

/**
 * The claims of a token about a plan or an apply, named as in the API family. Names of organizations, projects and workspaces have no colon, so that no
 * name makes one `sub` look like another.
 */
export function claimsOf(
  { organization, project, workspace, runId, phase }: Workload,
  token: { readonly id: string; readonly issuer: string; readonly audience: string; readonly at: Date },
): object {
  const seconds = Math.floor(token.at.getTime() / 1_000);
  const full = `organization:${organization.name}:project:${project.name}:workspace:${workspace.name}`;
  return {
    jti: token.id,
    iss: token.issuer,
    aud: token.audience,
    iat: seconds,
    nbf: seconds,
    exp: seconds + tokenSeconds,
    sub: `${full}:run_phase:${phase}`,
    terraform_run_phase: phase,
    terraform_run_id: runId,
    terraform_organization_id: organization.id,
    terraform_organization_name: organization.name,
    terraform_project_id: project.id,
    terraform_project_name: project.name,
    terraform_workspace_id: workspace.id,
    terraform_workspace_name: workspace.name,
    terraform_full_workspace: full,
  };
}
