import type { TableNotes } from '../note.ts';

export const runs: TableNotes = {
  ws_configuration_versions: { columns: { position: 'The order in which configuration versions were made.' } },
  ws_ingresses: {
    about: 'Commits from repositories that become configuration versions.',
    columns: {
      delivery: 'Tells the same announcement from another one.',
      request: 'What was asked for.',
      attributes: 'What is known of the commit, by the names of the API.',
      next_at: 'Null: it was fetched or refused.',
      status_at: 'When the status of the commit is looked at again; null: never.',
      position: 'The order in which commits were announced.',
    },
  },
  ws_policies: { columns: { source: 'Rego; null until it is uploaded.' } },
  ws_policy_evaluations: {
    about: 'What the policies of a workspace say of a plan.',
    columns: {
      overridable: 'Whether its failure may be overridden.',
      counts: 'Policies by their outcome.',
      next_at: 'When it is made; null: it has ended.',
    },
  },
  ws_policy_outcomes: {
    about: 'The part of one policy set in an evaluation, as the set was then.',
    columns: { outcomes: 'One for each policy.' },
  },
  ws_policy_set_exclusions: { about: 'Workspaces to which a policy set does not apply.' },
  ws_policy_set_policies: {},
  ws_policy_set_projects: {},
  ws_policy_set_workspaces: {},
  ws_policy_sets: { columns: { global: 'It applies to all workspaces of the organization.' } },
  ws_run_comments: {},
  ws_run_events: {},
  ws_run_jobs: {
    about: 'Plans and applies that agents work on.',
    columns: {
      epoch: 'How often the part was taken.',
      hash: 'Keyed hash of the token of the run.',
      unused_until:
        '`lease_until` as it was when the agent took the part, until it uses its token. Another time: the lease was extended, so the agent has begun.',
    },
  },
  ws_task_results: {
    about: 'What the run tasks of a stage say.',
    columns: { hash: 'Keyed hash of the token for the callback.', next_at: 'When its service is asked.' },
  },
  ws_task_stages: { about: 'The points of a run at which run tasks are asked.' },
  ws_organization_tasks: {
    columns: { hmac_key: 'Sealed.', origin: 'Scheme and authority under which its service reaches this one.' },
  },
  ws_workspace_tasks: {},
  ws_runs: {
    columns: {
      assessment: 'It is not shown among runs.',
      variables: 'Sealed.',
      position: 'The order in which runs were made.',
    },
  },
};
