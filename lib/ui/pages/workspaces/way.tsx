import { organizationUrl } from './address.ts';

/** The way to a list of workspaces, or to one workspace. */
export const Way = ({ organization }: { readonly organization?: string }) => (
  <nav aria-label="Way" class="way">
    <a href="/ui/workspaces">Workspaces</a>
    {organization === undefined ? null : (
      <a class="wrap" href={organizationUrl(organization)}>
        {organization}
      </a>
    )}
  </nav>
);
