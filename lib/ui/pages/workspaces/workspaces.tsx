import { List } from './list/list.tsx';
import { Workspace } from './one/workspace.tsx';
import { Organizations } from './organizations.tsx';

interface WorkspacesProps {
  readonly organization?: string;
  readonly workspace?: string;
  readonly tab?: string;
}

/** Organizations, their workspaces, and one workspace. */
export function Workspaces({ organization, workspace, tab }: WorkspacesProps) {
  if (organization === undefined) return <Organizations />;
  if (workspace === undefined) return <List key={organization} organization={organization} />;
  return (
    <Workspace key={`${organization}/${workspace}`} organization={organization} name={workspace} tab={tab ?? ''} />
  );
}
