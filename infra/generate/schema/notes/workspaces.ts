import type { TableNotes } from '../note.ts';

export const workspaces: TableNotes = {
  ws_assessment_schedules: { about: 'Workspaces that are assessed.' },
  ws_assessments: {
    about: 'Looks for drift and failing checks, each by a run that no list shows.',
    columns: { succeeded: 'Null while it goes on.' },
  },
  ws_auto_destroys: {
    about: 'Ephemeral workspaces.',
    columns: {
      look_at: 'When the sweep looks at it next.',
      destroy_at: 'The scheduled time that reminders were counted for.',
      reminded_hours: 'The last reminder, in hours before that time.',
      run_id: 'The last run that destroyed its resources.',
      failure: 'Why there could be no such run.',
    },
  },
  ws_consumers: { about: 'Workspaces that may read the state of another one.' },
  ws_readmes: {},
  ws_reserved_tag_keys: {},
  ws_retention_policies: {},
  ws_run_triggers: { about: 'A run of the source starts one of the workspace.' },
  ws_ssh_keys: { columns: { value: 'Sealed.' } },
  ws_tag_bindings: {},
  ws_tags: {},
  ws_workspace_tags: {},
  ws_workspaces: {
    columns: {
      execution_mode: 'Null: the default of its project or its organization.',
      runs_count: 'How many of its last runs the measures are made of.',
      run_failures: 'How many of these are errored.',
      plan_ms_average: 'Null: none of these has a finished plan.',
      apply_ms_average: 'Null: none of these has a finished apply.',
      policy_failures: 'How many of these had failing policies.',
      lock_epoch: 'The number of the present lock, or of the last one: no other lock of the workspace has it.',
    },
  },
};
