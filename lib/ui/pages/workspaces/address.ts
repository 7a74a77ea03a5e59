/** The tabs of a workspace. */
export const tabs = [
  ['', 'Overview'],
  ['runs', 'Runs'],
  ['states', 'States'],
  ['variables', 'Variables'],
  ['health', 'Health'],
  ['settings', 'Settings'],
  ['teams', 'Teams'],
] as const;

export const organizationUrl = (organization: string): string => `/ui/workspaces/${encodeURIComponent(organization)}`;

export function workspaceUrl(organization: string, name: string, tab = ''): string {
  const root = `${organizationUrl(organization)}/${encodeURIComponent(name)}`;
  return tab === '' ? root : `${root}/${tab}`;
}

export const runUrl = (organization: string, name: string, run: string): string =>
  `${workspaceUrl(organization, name, 'runs')}?run=${encodeURIComponent(run)}`;
