import type { ApiRow } from '../path/jsonapi/row.ts';
import { consumerRows } from './consumers/rows.ts';
import type { WorkspaceParts } from './contract.ts';
import { lockRows } from './lock/rows.ts';
import { notificationRows } from './notifications/rows.ts';
import { retentionRows } from './retention/rows.ts';
import { runTriggerRows } from './run-triggers/rows.ts';
import { serviceRows } from './service/rows.ts';
import { sshKeyRows } from './ssh-keys/rows.ts';
import { tagBindingRows } from './tag-bindings/rows.ts';
import { tagRows } from './tags/rows.ts';
import { variableSetRows } from './variable-sets/rows.ts';
import { setVariableRows } from './variable-sets/variables.ts';
import { variableRows } from './variables/rows.ts';
import { workspaceRows } from './workspace/rows.ts';

/** All operations of the workspace service. Their order means nothing. */
export const allRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  ...consumerRows(parts),
  ...lockRows(parts),
  ...notificationRows(parts),
  ...retentionRows(parts),
  ...runTriggerRows(parts),
  ...serviceRows,
  ...sshKeyRows(parts),
  ...tagBindingRows(parts),
  ...tagRows(parts),
  ...variableSetRows(parts),
  ...setVariableRows(parts),
  ...variableRows(parts),
  ...workspaceRows(parts),
];
